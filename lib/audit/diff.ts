import { isDeepStrictEqual } from 'node:util';
import { isObject } from '#lib/platform/plain-data.ts';
import { REDACTED } from '#lib/platform/secrets/kept-secrets.ts';
import { shorten } from '#lib/platform/text.ts';
import type { Change } from './entry.ts';

/** A value as it is, which decides whether it differs, and as it is shown. */
export type Side = { real: unknown; shown: unknown };

const MAX_TEXT = 200;
/** A table keeps 32 levels; what lies deeper in a list than this is shown as text. */
const DEEPEST = 6;

/**
 * What differs between two records, as whoever may only read sees it: a secret that changed is ******** on both sides.
 * Maps are compared member by member, with dotted paths; anything else, lists too, as a whole. A record that is not
 * there is undefined. Pure.
 */
export function changesOf(before: Side, after: Side): Change[] {
  return differences('', before, after);
}

function differences(path: string, before: Side, after: Side): Change[] {
  if (isDeepStrictEqual(before.real ?? null, after.real ?? null)) return [];
  if (!isMap(before, after)) return [{ path, from: shownOf(before), to: shownOf(after) }];
  const names = new Set([...namesOf(before.real), ...namesOf(after.real)]);
  return [...names].flatMap((name) =>
    differences(path === '' ? name : `${path}.${name}`, memberOf(before, name), memberOf(after, name)),
  );
}

/** Whether both are maps, or one is and the other is not there. */
const isMap = (...sides: Side[]): boolean => {
  const values = sides.flatMap(({ real, shown }) => [real, shown]);
  return values.some(isObject) && values.every((value) => isObject(value) || isNothing(value));
};

const isNothing = (value: unknown): boolean => value === undefined || value === null;

const namesOf = (value: unknown): string[] => (isObject(value) ? Object.keys(value) : []);

const memberOf = ({ real, shown }: Side, name: string): Side => ({ real: own(real, name), shown: own(shown, name) });

const own = (value: unknown, name: string): unknown =>
  isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;

/** What may not be shown at all is a secret too. */
function shownOf({ real, shown }: Side): unknown {
  if (isNothing(real)) return null;
  return shown === undefined ? REDACTED : cut(shown, 0);
}

function cut(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return shorten(value, MAX_TEXT);
  if (typeof value !== 'object' || value === null) return value;
  if (depth === DEEPEST) return shorten(JSON.stringify(value), MAX_TEXT);
  if (Array.isArray(value)) return value.map((one) => cut(one, depth + 1));
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, cut(one, depth + 1)]));
}

const MAX_CHANGES = 50;

/** Those of the changes that there is room for, in their order, and how many there are beside them. */
export function fitted(changes: Change[], bytes: number): { changes: Change[]; more_changes: number } {
  let left = bytes;
  const kept: Change[] = [];
  for (const change of changes) {
    const size = Buffer.byteLength(JSON.stringify(change)) + 1;
    if (kept.length === MAX_CHANGES || size > left) continue;
    left -= size;
    kept.push(change);
  }
  return { changes: kept, more_changes: changes.length - kept.length };
}
