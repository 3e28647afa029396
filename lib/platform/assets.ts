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

/** Content that is made from the code and not from data. Both methods reject when it cannot be made. */
export interface Assets {
  /** The OpenAPI document of the API, as JSON. */
  document(): Promise<string>;
  console(): Promise<ConsoleFiles>;
}

const none = () => Promise.reject(new Error('This function hands out neither the document nor the console.'));

/** The assets of a function that hands out none. */
export const NO_ASSETS: Assets = { document: none, console: none };
