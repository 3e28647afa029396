import { globSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A mistake that somebody could make, as its file in test/faults/planted/ describes it. */
export type PlantedFault = {
  /** Of its file. */
  name: string;
  /** What is wrong, and what that breaks. */
  sentence: string;
  /** The promise of test/oracle/ that the simulation must see broken. */
  foundBy: string;
  /** The function, class or constant at the top of its file that has the mistake. */
  place: string;
  find: string;
  replace: string;
};

const FOLDER = join(import.meta.dirname, 'planted');

/** All of them, by name. @throws when a file is not written as one */
export const plantedFaults = (): PlantedFault[] =>
  readdirSync(FOLDER)
    .sort()
    .map((file) => parseFault(file, readFileSync(join(FOLDER, file), 'utf8')));

/**
 * A sentence, `found by:` and `in:`, then a diff without line numbers. Its lines that begin with a space or a minus are
 * looked for, those with a space or a plus stand there afterwards.
 */
export function parseFault(file: string, text: string): PlantedFault {
  const [, sentence, foundBy, place, diff] = /^(\S.*?)\n\nfound by: (.+)\nin: (\w+)\n\n(.+)$/s.exec(text) ?? [];
  if (!diff) throw new Error(`planted/${file}: write a sentence, "found by: PROMISE", "in: FUNCTION", and a diff`);
  const linesOf = (marks: string) =>
    diff
      .split('\n')
      .filter((line) => line !== '' && marks.includes(line[0]!))
      .map((line) => line.slice(1).trim())
      .join('\n');
  const [find, replace] = [linesOf(' -'), linesOf(' +')];
  if (find === '' || find === replace) throw new Error(`planted/${file}: its diff changes nothing`);
  return { name: file.replace(/\.patch$/, ''), sentence: sentence!, foundBy: foundBy!, place: place!, find, replace };
}

/** The code of the service: text by path. */
export const serviceFiles = (root: string): Map<string, string> =>
  new Map(
    globSync('{lib,functions,infra}/**/*.ts', { cwd: root }).map((file) => [
      file,
      readFileSync(join(root, file), 'utf8'),
    ]),
  );

/**
 * The file that has the mistake, with the mistake in it, everywhere in its place.
 * @throws when its place is gone, has changed, or is not the only one
 */
export function plant({ name, place, find, replace }: PlantedFault, files: Map<string, string>) {
  const wanted = patternOf(find);
  const declared = declarationOf(place);
  const having = [...files].filter(([, text]) => declared.test(text));
  const planted = having.flatMap(([file, text]) => {
    const changed = text.replace(declared, (code) =>
      code.replaceAll(wanted, (...match) => fill(replace, match.at(-1) as Record<string, string>)),
    );
    return changed === text ? [] : [{ file, text: changed }];
  });
  if (planted.length === 1) return planted[0]!;
  const where = having.map(([file]) => file).join(', ');
  if (having.length === 0) throw new Error(`planted/${name}.patch: the service has no ${place} any more`);
  if (planted.length === 0) throw new Error(`planted/${name}.patch: ${place} (${where}) no longer has\n${find}`);
  throw new Error(`planted/${name}.patch: more than one ${place} has it: ${where}`);
}

/** From a declaration at the beginning of a line to the next one. */
const declarationOf = (name: string): RegExp =>
  new RegExp(
    `^(?:export )?(?:async )?(?:function|class|const) ${name}\\b.*?(?=^(?:export|async|function|class|const|type|let|/[*/])|(?![^]))`,
    'ms',
  );

const GAP = '(?:\\s|//[^\\n]*|/\\*.*?\\*/)*';

/** Code with its brackets in pairs, four deep, as little of it as fits. */
const BALANCED = [1, 2, 3, 4].reduce((inner) => `(?:[^()[\\]{}]|\\(${inner}\\)|\\[${inner}\\]|\\{${inner}\\})*?`, '');

/**
 * Finds code whatever its white space, its comments and its commas at the ends of lists. `$name` is any name, and the
 * same one each time; `$$name` is any code with its brackets in pairs.
 */
function patternOf(code: string): RegExp {
  const known = new Set<string>();
  const tokens = [...code.matchAll(/(\$\$?)(\w+)|\w+|[^\s\w]/g)].map(([token, wild, name]) => {
    if (wild && known.has(name!)) return `\\k<${name}>`;
    if (wild) known.add(name!);
    if (wild) return wild === '$' ? `(?<${name}>\\b\\w+\\b)` : `(?<${name}>${BALANCED})`;
    if (/\w/.test(token)) return `\\b${token}\\b`;
    return `${/[)\]}]/.test(token) ? `,?${GAP}` : ''}\\${token}`;
  });
  // A pattern without a name would hand its callback no groups.
  return new RegExp(`(?<all_>${tokens.join(GAP)})`, 'gs');
}

const fill = (code: string, found: Record<string, string>): string =>
  code.replaceAll(/\$\$?(\w+)/g, (_, name: string) => found[name]!);
