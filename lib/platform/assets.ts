/** A file of the console or the docs, in brotli and gzip, each in base64. */
export type PackedFile = {
  type: string;
  br: string;
  /** On AWS, a getter creates it at each read: few clients lack brotli, and CloudFront caches assets. */
  gzip: string;
};

export type ConsoleFiles = {
  /** Contains the names of the assets, so a client requests it on each visit. */
  page: PackedFile;
  etag: string;
  /** Assets by name; a name changes with its content. */
  assets: Record<string, PackedFile>;
};

/** Files of the docs by path, such as `/docs/use/alerts`. The name of an asset changes with its content. */
export type DocsFiles = Record<string, PackedFile & { etag: string; isAsset: boolean }>;

/** Key of the page for paths that do not exist. */
export const DOCS_MISSING = '/docs/404';

/** Content that is generated from the code. Each method rejects if the content is not available. */
export interface Assets {
  /** OpenAPI document, in JSON. */
  openApi(): Promise<string>;
  console(): Promise<ConsoleFiles>;
  docs(): Promise<DocsFiles>;
}

const unavailable = () => Promise.reject(new Error('This function serves no OpenAPI document, console or docs.'));

export const NO_ASSETS: Assets = { openApi: unavailable, console: unavailable, docs: unavailable };
