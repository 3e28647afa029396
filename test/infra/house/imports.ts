import { posix } from 'node:path';

/** `file` takes `names` of `from`, a path below the top of the repository; `*` is all of it. */
export type Import = { file: string; from: string; names: string[] };

const STATIC = /^(?:import|export) (?:type )?(?:([\w*{][^'";]*?) from )?'([#.][^']+)'/gm;
const DYNAMIC = /\bimport\('([#.][^']+)'\)/g;
/** A file that takes the place of a package in a bundle. */
const ALIAS = /\bjoin\(import\.meta\.dirname, '([\w-]+\.ts)'\)/g;

/** What a file imports of the repository. Packages are left out. */
export function importsOf(file: string, text: string): Import[] {
  const resolve = (name: string) =>
    name.startsWith('#') ? name.slice(1) : posix.join(posix.dirname(file), name.replace(/^(?!\.)/, './'));
  return [
    ...[...text.matchAll(STATIC)].map(([, clause = '', name = '']) => ({
      file,
      from: resolve(name),
      names: namesIn(clause),
    })),
    ...[...text.matchAll(DYNAMIC), ...text.matchAll(ALIAS)].map(([, name = '']) => ({
      file,
      from: resolve(name),
      names: ['*'],
    })),
  ];
}

/** `all, { type One, two as second }`: `default`, `One`, `two`. */
function namesIn(clause: string): string[] {
  const [outside = '', braced = ''] = clause.split(/[{}]/);
  const named = braced.split(',').map((part) =>
    part
      .trim()
      .replace(/^type /, '')
      .replace(/ as .*$/, ''),
  );
  if (outside.includes('*')) named.push('*');
  else if (/\w/.test(outside)) named.push('default');
  return named.filter((name) => name !== '');
}
