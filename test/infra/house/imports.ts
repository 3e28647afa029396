import { posix } from 'node:path';

/** `file` imports `names` from `from`, a path in the repository; `*` means everything. */
export type Import = { file: string; from: string; names: string[] };

const STATIC = /^(?:import|export) (?:type )?(?:([\w*{][^'";]*?) from )?'([#.][^']+)'/gm;
const DYNAMIC = /\bimport\('([#.][^']+)'\)/g;
/** File that replaces a package in a bundle. */
const ALIAS = /\bjoin\(import\.meta\.dirname, '([\w-]+\.ts)'\)/g;

/** Returns the imports of a file that lead to files of the repository, not to packages. */
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

/** Returns `One`, `two`, `default` for `all, { type One, two as second }`. */
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
