/** Style sheets are imported for their effect: the build puts all of them into one. */
declare module '*.css';

/** Files that the build makes (infra/docs/generate.ts). A file that imports one states its shape. */
declare module '#generated/*.json' {
  const content: unknown;
  export default content;
}
