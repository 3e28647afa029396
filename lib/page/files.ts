/** A file of the console as it is sent: both packed forms, in base64. */
export type ConsoleFile = {
  /** Its `Content-Type`. */
  type: string;
  br: string;
  /** A function on AWS makes it when it is read: CloudFront keeps it for the few that take no brotli. */
  gzip: string;
};

export type ConsoleFiles = {
  /** Names the others, so it is asked for again at each visit. */
  page: ConsoleFile;
  /** Of the page's content, to be compared with `If-None-Match`. */
  etag: string;
  /** By their names, which change with their content. */
  assets: Record<string, ConsoleFile>;
};

let built: Promise<ConsoleFiles> | undefined;

/**
 * The files of the console: built when they are asked for first, and kept. A module of its own, as the function on AWS
 * carries them as they were built for its deployment (infra/aws/bundle/packed-console.ts).
 */
export function consoleFiles(): Promise<ConsoleFiles> {
  built ??= build();
  return built;
}

async function build(): Promise<ConsoleFiles> {
  try {
    const { buildConsole } = await import('#lib/page/build.ts');
    return await buildConsole();
  } catch (error) {
    // Whoever mends a page sees it without a new start.
    built = undefined;
    throw error;
  }
}
