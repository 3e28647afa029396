import type { Plugin } from 'vitest/config';

/** Lets tests import the files that the console build generates: each is generated in the process of the test. */
export const generatedFiles: Plugin = {
  name: 'generated',
  enforce: 'pre',
  resolveId: (id) => (id.startsWith('#generated/') ? `\0${id}.ts` : undefined),
  load: (id) => {
    const [, name] = /^\0#generated\/(.+)\.ts$/.exec(id) ?? [];
    if (name === undefined) return undefined;
    return `import { generate } from '#infra/docs/generate.ts';
      export default JSON.parse(generate().console['${name}']);`;
  },
};
