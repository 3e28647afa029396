import type * as z from 'zod';

/** What a schema names of an item, and nothing else: the record that is shown of it. */
export function pick<Schema extends z.ZodObject>(schema: Schema, item: z.output<Schema>): z.output<Schema> {
  const record: Record<string, unknown> = {};
  // Lists have a thousand of them.
  const members: Record<string, unknown> = item;
  for (const name in schema.shape) if (members[name] !== undefined) record[name] = members[name];
  return record as z.output<Schema>;
}

/** Whether a value is an object, and no list. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Merges a map per key; null removes. What is no map is left for a schema to refuse. */
export function mergeMap(stored: Readonly<Record<string, unknown>>, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  return Object.fromEntries(Object.entries({ ...stored, ...patch }).filter(([, value]) => value !== null));
}

/** null means absent: an object without such members, but for those named; anything else as it is. */
export const withoutNulls = (value: unknown, kept: readonly string[] = []): unknown =>
  isObject(value)
    ? Object.fromEntries(Object.entries(value).filter(([name, member]) => member !== null || kept.includes(name)))
    : value;

/** The list in pieces of at most `size`. */
export const chunks = <T>(list: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(list.length / size) }, (_, i) => list.slice(i * size, (i + 1) * size));

/** The names of an object's members. */
export const namesOf = <T extends object>(of: T) => Object.keys(of) as (keyof T & string)[];

/** A member of a value that may not be an object. */
export const memberOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
