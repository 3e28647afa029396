import type * as z from 'zod';

/** Returns the properties of an item that the schema defines: its public record. */
export function pick<Schema extends z.ZodObject>(schema: Schema, item: z.output<Schema>): z.output<Schema> {
  const record: Record<string, unknown> = {};
  // `for … in` allocates no list of names per item; lists have up to a thousand items.
  const members: Record<string, unknown> = item;
  for (const name in schema.shape) if (members[name] !== undefined) record[name] = members[name];
  return record as z.output<Schema>;
}

/** Whether a value is an object and not a list. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Merges a map by key; null removes a key. If the patch is not a map, returns it as is, for a schema to reject. */
export function mergeMap(stored: Readonly<Record<string, unknown>>, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  return Object.fromEntries(Object.entries({ ...stored, ...patch }).filter(([, value]) => value !== null));
}

/** Removes null properties except the `kept` ones. If the value is not an object, returns it as is. */
export const withoutNulls = (value: unknown, kept: readonly string[] = []): unknown =>
  isObject(value)
    ? Object.fromEntries(Object.entries(value).filter(([name, member]) => member !== null || kept.includes(name)))
    : value;

export const chunks = <T>(list: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(list.length / size) }, (_, i) => list.slice(i * size, (i + 1) * size));

export const namesOf = <T extends object>(of: T) => Object.keys(of) as (keyof T & string)[];

export const memberOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
