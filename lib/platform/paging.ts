import { createHash } from 'node:crypto';
import * as z from 'zod';
import { invalid } from './errors.ts';
import { Reply } from './route.ts';

/** `limit` of a list: over the maximum is clamped, under 1 or not a number is refused. */
export const limitParam = (fallback: number, max: number) =>
  z
    .string()
    .regex(/^\d{1,9}$/, 'must be a whole number of at least 1')
    .transform(Number)
    .refine((value) => value >= 1, 'must be a whole number of at least 1')
    .transform((value) => Math.min(value, max))
    .default(fallback);

const sealOf = (scope: string): string => createHash('sha256').update(scope).digest('base64url').slice(0, 8);

/** @param scope the list it belongs to, tenant included: a cursor of another list is refused. */
export const encodeCursor = (scope: string, position: unknown): string =>
  Buffer.from(JSON.stringify([sealOf(scope), position])).toString('base64url');

/** The position in a cursor, undefined without one; a garbled or foreign one is a VALIDATION_ERROR. */
export function decodeCursor<T>(scope: string, cursor: string | undefined, shape: z.ZodType<T>): T | undefined {
  if (cursor === undefined) return undefined;
  try {
    const [seal, position] = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
    if (seal === sealOf(scope)) return shape.parse(position);
  } catch {
    // falls through to the one refusal below
  }
  throw invalid('cursor', 'is not a cursor of this list; leave it out to start at the beginning');
}

/** A list with the `Link: <…>; rel="next"` header while more remains. */
export function listReply<T>(
  value: T,
  url: { path: string; search: URLSearchParams },
  next: string | undefined,
): Reply<T> {
  if (next === undefined) return new Reply(value, {});
  const search = new URLSearchParams(url.search);
  search.set('cursor', next);
  return new Reply(value, { link: `<${url.path}?${search}>; rel="next"` });
}
