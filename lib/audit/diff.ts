import { isDeepStrictEqual } from 'node:util';
import { isObject } from '#lib/platform/plain-data.ts';
import { REDACTED } from '#lib/platform/secrets/kept-secrets.ts';
import { shorten } from '#lib/platform/text.ts';
import type { Change } from './entry.ts';

/** Real value, which is compared, and shown value. */
export type Side = { real: unknown; shown: unknown };

const MAX_TEXT = 200;
/** Maximum depth of a shown value, because the table stores at most 32 levels; deeper values are shown as text. */
const MAX_DEPTH = 6;

/**
 * Returns the changes as a read-only caller sees them: a changed secret is ******** on both sides. Objects are compared
 * by property, with dotted paths; other values, including lists, as a whole. An absent record is undefined. Pure.
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

const isMap = (...sides: Side[]): boolean => {
  const values = sides.flatMap(({ real, shown }) => [real, shown]);
  return values.some(isObject) && values.every((value) => isObject(value) || isNothing(value));
};

const isNothing = (value: unknown): boolean => value === undefined || value === null;

const namesOf = (value: unknown): string[] => (isObject(value) ? Object.keys(value) : []);

const memberOf = ({ real, shown }: Side, name: string): Side => ({ real: own(real, name), shown: own(shown, name) });

const own = (value: unknown, name: string): unknown =>
  isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;

/** A value that is never shown counts as a secret. */
function shownOf({ real, shown }: Side): unknown {
  if (isNothing(real)) return null;
  return shown === undefined ? REDACTED : cut(shown, 0);
}

function cut(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return shorten(value, MAX_TEXT);
  if (typeof value !== 'object' || value === null) return value;
  if (depth === MAX_DEPTH) return shorten(JSON.stringify(value), MAX_TEXT);
  if (Array.isArray(value)) return value.map((one) => cut(one, depth + 1));
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, cut(one, depth + 1)]));
}

const MAX_CHANGES = 50;

/** Keeps the changes that fit, in order, and counts the others. */
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
