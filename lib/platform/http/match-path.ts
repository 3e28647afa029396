import { notFound } from '#lib/platform/errors.ts';
import { isName, isPlain } from '#lib/platform/text.ts';

const isParam = (segment: string): boolean => segment.startsWith('{');

/**
 * The rows of a path. A word to the letter wins over a parameter: `invite` of /users/invite is no id. Of rows with as
 * many parameters the one comes first that has a word where another has one: /checks/by-slug/results names the check
 * that has the slug `results`.
 */
export function rowsAt<R extends Named>(table: { row: R; segments: string[] }[], path: string[]): R[] {
  const fitting = table.filter(({ row, segments }) => fits(segments, partsOf(row, segments, path)));
  const fewest = Math.min(...fitting.map(({ segments }) => segments.filter(isParam).length));
  return fitting
    .filter(({ segments }) => segments.filter(isParam).length === fewest)
    .sort((a, b) => (wordsFirst(a.segments) < wordsFirst(b.segments) ? -1 : 1))
    .map(({ row }) => row);
}

/** Sorts a path before another one that has a parameter in place of one of its words. */
const wordsFirst = (segments: string[]): string => segments.map((part) => (isParam(part) ? '1' : '0')).join('');

const fits = (segments: string[], path: string[]): boolean =>
  segments.length === path.length && segments.every((part, i) => (isParam(part) ? path[i] !== '' : part === path[i]));

type Named = { path: string; names?: readonly string[] };

/**
 * A path in the parts of a row. A name at its end takes all that is left: API Gateway hands paths over decoded, so that
 * the slash of a name looks like any other.
 */
function partsOf({ names }: Named, segments: string[], path: string[]): string[] {
  const last = segments.length - 1;
  const isLonger = path.length > segments.length && names?.includes(nameOf(segments[last]!));
  return isLonger ? [...path.slice(0, last), path.slice(last).join('/')] : path;
}

const nameOf = (part: string): string => part.slice(1, -1);

/** The decoded parameters. What cannot be an id, slug or name never reaches the table's keys: it names nothing. */
export function paramsOf(row: Named, path: string[]): Record<string, string> {
  const params: Record<string, string> = {};
  const segments = row.path.split('/');
  const parts = partsOf(row, segments, path);
  for (const [i, part] of segments.entries()) {
    if (!isParam(part)) continue;
    const name = nameOf(part);
    const value = decode(parts[i] ?? '');
    if (!(row.names?.includes(name) ? isName(value) : isPlain(value))) throw notFound(`${name} ${parts[i]}`);
    params[name] = value;
  }
  return params;
}

const ESCAPES = /(?:%[0-9a-f]{2})+/gi;

/**
 * Takes escapes for what they mean, and all else to the letter. API Gateway leaves but one escape, that of % itself, so
 * that a path means the same whether it comes from there or as it was sent.
 */
const decode = (text: string): string =>
  text.replace(ESCAPES, (run) => {
    try {
      return decodeURIComponent(run);
    } catch {
      return run;
    }
  });
