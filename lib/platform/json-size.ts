import * as z from 'zod';

/**
 * Bounds on the shape of what a request holds, judged before any schema sees it: a schema that complains of each of a
 * hundred thousand members costs far more than their bytes did.
 */

/** No body within its other limits comes near. */
const MAX_VALUES = 10_000;
const MAX_DEPTH = 64;

/** What is too much about a value, as a sentence without its subject; undefined when nothing is. */
export function excessOf(value: unknown): string | undefined {
  const left = { values: MAX_VALUES };
  return excessIn(value, MAX_DEPTH, left);
}

function excessIn(value: unknown, levels: number, left: { values: number }): string | undefined {
  left.values -= 1;
  if (left.values < 0) return `holds more than ${MAX_VALUES} values; send fewer at a time`;
  if (typeof value !== 'object' || value === null) return undefined;
  if (levels === 0) return `is nested more than ${MAX_DEPTH} levels deep; flatten it`;
  for (const part of Array.isArray(value) ? value : Object.values(value)) {
    const excess = excessIn(part, levels - 1, left);
    if (excess !== undefined) return excess;
  }
  return undefined;
}

/** The member of an object in which it becomes too much, and how; undefined when it does not. */
export function excessAt(members: Record<string, unknown>): { member: string; message: string } | undefined {
  const left = { values: MAX_VALUES };
  for (const [member, value] of Object.entries(members)) {
    const message = excessIn(value, MAX_DEPTH, left);
    if (message !== undefined) return { member, message };
  }
  return undefined;
}

/**
 * A list or map whose length is judged before any of its members is, so that one that is far too long has one fault
 * and not one a member.
 */
export const atMost = <Schema extends z.ZodType>(most: number, schema: Schema, message: string) =>
  z.preprocess((value, context) => {
    if (sizeOf(value) <= most) return value;
    context.addIssue({ code: 'custom', message });
    return z.NEVER;
  }, schema);

const sizeOf = (value: unknown): number =>
  Array.isArray(value) ? value.length : typeof value === 'object' && value !== null ? Object.keys(value).length : 0;
