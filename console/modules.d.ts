declare module '*.css';

/** Files that the build writes (infra/docs/generate.ts). The importing file states their shape. */
declare module '#generated/*.json' {
  const content: unknown;
  export default content;
}
