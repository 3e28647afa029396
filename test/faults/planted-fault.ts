import { globSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A mistake described by a file in test/faults/planted/. */
export type PlantedFault = {
  /** Name of its file. */
  name: string;
  /** The mistake and its effect. */
  sentence: string;
  /** The promise of test/oracle/ that the simulation must find broken. */
  foundBy: string;
  /** The top-level function, class or constant that has the mistake. */
  place: string;
  find: string;
  replace: string;
};

const FOLDER = join(import.meta.dirname, 'planted');

/** Returns all planted faults by name. @throws if a file is malformed */
export const plantedFaults = (): PlantedFault[] =>
  readdirSync(FOLDER)
    .sort()
    .map((file) => parseFault(file, readFileSync(join(FOLDER, file), 'utf8')));

/**
 * Parses a file with a sentence, `found by:` and `in:`, then a diff without line numbers. Lines that start with a space
 * or a minus are searched for; lines that start with a space or a plus replace them.
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

/** Returns the code of the service: text by path. */
export const serviceFiles = (root: string): Map<string, string> =>
  new Map(
    globSync('{lib,functions,infra}/**/*.ts', { cwd: root }).map((file) => [
      file,
      readFileSync(join(root, file), 'utf8'),
    ]),
  );

/**
 * Returns the file with the mistake planted wherever its place contains the code.
 * @throws if its place is missing, has changed, or is ambiguous
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

/** Returns a pattern of a top-level declaration with this name, up to the next declaration. */
const declarationOf = (name: string): RegExp =>
  new RegExp(
    `^(?:export )?(?:async )?(?:function|class|const) ${name}\\b.*?(?=^(?:export|async|function|class|const|type|let|/[*/])|(?![^]))`,
    'ms',
  );

const GAP = '(?:\\s|//[^\\n]*|/\\*.*?\\*/)*';

/** Pattern of code with balanced brackets, four levels deep, non-greedy. */
const BALANCED = [1, 2, 3, 4].reduce((inner) => `(?:[^()[\\]{}]|\\(${inner}\\)|\\[${inner}\\]|\\{${inner}\\})*?`, '');

/**
 * Returns a pattern of code with any white space, comments and trailing commas. `$name` is any name, the same one each
 * time; `$$name` is any code with balanced brackets.
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
  // A pattern without named groups would pass no groups to its callback.
  return new RegExp(`(?<all_>${tokens.join(GAP)})`, 'gs');
}

const fill = (code: string, found: Record<string, string>): string =>
  code.replaceAll(/\$\$?(\w+)/g, (_, name: string) => found[name]!);
