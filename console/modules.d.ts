declare module '*.css';

/** Files that infra/docs/generate.ts generates for the build, in memory. The importing file states their shape. */
declare module '#generated/*.json' {
  const content: unknown;
  export default content;
}
