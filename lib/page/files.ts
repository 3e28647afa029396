import type { ConsoleFiles } from './build.ts';

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
