/** A file of the console in both encodings, each in base64. */
export type ConsoleFile = {
  type: string;
  br: string;
  /** On AWS a function creates it on read: CloudFront caches it for the few clients without brotli. */
  gzip: string;
};

export type ConsoleFiles = {
  /** Refers to the assets, so a client requests it on each visit. */
  page: ConsoleFile;
  etag: string;
  /** Assets by name; a name changes with its content. */
  assets: Record<string, ConsoleFile>;
};

/** Content generated from the code instead of data. Both methods reject if the content is not available. */
export interface Assets {
  document(): Promise<string>;
  console(): Promise<ConsoleFiles>;
}

const unavailable = () =>
  Promise.reject(new Error('This function serves neither the OpenAPI document nor the console.'));

/** The assets of a function that serves none. */
export const NO_ASSETS: Assets = { document: unavailable, console: unavailable };
