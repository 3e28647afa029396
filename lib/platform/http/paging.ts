import { createHash } from 'node:crypto';
import * as z from 'zod';
import { canonicalBytes } from '#lib/platform/canonical-base64url.ts';
import { invalid } from '#lib/platform/errors.ts';
import { yieldEvery } from '#lib/platform/yielding.ts';
import { Reply } from './route.ts';

/** Limits of one page (docs/api/README.md#lists-and-pagination), well below the 6 MB of a Lambda response. */
const MAX_ITEMS = 1000;
const MAX_BYTES = 4_000_000;
const CHUNK = 200;
const BYTES_PER_TURN = 512 * 1024;

/** Returns the schema of `limit`: a value over the maximum is clamped; one below 1 or not a number is rejected. */
export const limitParam = (fallback: number, max: number) =>
  z
    .string()
    .regex(/^0*[1-9]\d*$/, 'must be a whole number of at least 1')
    .transform((text) => Math.min(Number(text), max))
    .default(fallback)
    .meta({
      type: 'integer',
      minimum: 1,
      description: `Maximum number of items, up to ${max}; a larger value counts as ${max}. Default: ${fallback}.`,
    });

const cursorParam = z.string().optional().describe('Cursor from the Link header of the previous page.');

export const ListQuery = z.object({ limit: limitParam(MAX_ITEMS, MAX_ITEMS), cursor: cursorParam });

/** A sort key as the position of a cursor. Bounded, so that a forged cursor cannot cause an invalid table request. */
export const Position = z.string().regex(/^[\x20-\x7e]{1,1024}$/);

const sealOf = (scope: string): string => createHash('sha256').update(scope).digest('base64url').slice(0, 8);

/** Encodes a position. @param scope list of the cursor, tenant included: a cursor of another list is rejected */
export const encodeCursor = (scope: string, position: unknown): string =>
  Buffer.from(JSON.stringify([sealOf(scope), position])).toString('base64url');

/** Returns the position of a cursor; undefined without one. Throws VALIDATION_ERROR if it is not of this list. */
export function decodeCursor<T>(scope: string, cursor: string | undefined, shape: z.ZodType<T>): T | undefined {
  if (cursor === undefined) return undefined;
  try {
    const [seal, position] = JSON.parse(canonicalBytes(cursor)?.toString('utf8') ?? '[]');
    if (seal === sealOf(scope)) return shape.parse(position);
  } catch {}
  throw invalid('cursor', 'is not a cursor of this list; omit it to start at the beginning');
}

/** Returns a list with a `Link: <…>; rel="next"` header if more items remain. */
export function listReply<T>(
  value: T,
  url: { path: string; search: URLSearchParams },
  next: string | undefined,
): Reply<T> {
  if (next === undefined) return new Reply(value, {});
  const search = new URLSearchParams(url.search);
  search.set('cursor', next);
  // A header carries only ASCII; existing percent-encoding is kept.
  const path = encodeURI(url.path).replaceAll('%25', '%');
  return new Reply(value, { link: `<${path}?${search}>; rel="next"` });
}

/** Reads up to `limit` records after a position. `enough`: the reader has scanned its maximum, so the page ends. */
export type Reader<T> = (
  after: string | undefined,
  limit: number,
) => Promise<{ found: { at: string; value: T }[]; next?: string | undefined; enough?: boolean }>;

/** Collects up to `limit` records or `maxBytes` (4 MB). `next` is the position after which to continue. */
export async function gather<T>(
  read: Reader<T>,
  from: { after?: string | undefined; limit?: number | undefined; maxBytes?: number } = {},
): Promise<{ values: T[]; next?: string }> {
  const { limit = MAX_ITEMS, maxBytes = MAX_BYTES } = from;
  const values: T[] = [];
  let last = '';
  let bytes = 0;
  let after = from.after;
  const yieldAfter = yieldEvery(BYTES_PER_TURN);
  do {
    const chunk = await read(after, Math.min(limit + 1 - values.length, CHUNK));
    for (const { at, value } of chunk.found) {
      const size = Buffer.byteLength(JSON.stringify(value)) + 1;
      const turn = yieldAfter(size);
      if (turn) await turn;
      bytes += size;
      if (values.length === limit || (values.length > 0 && bytes > maxBytes)) return { values, next: last };
      values.push(value);
      last = at;
    }
    after = chunk.next;
    if (chunk.enough && after !== undefined) return { values, next: after };
  } while (after !== undefined);
  return { values };
}

/** Handles a list endpoint with `ListQuery`. @param scope name of the list, tenant included */
export async function listOf<T>(
  scope: string,
  request: { query: z.output<typeof ListQuery>; url: { path: string; search: URLSearchParams } },
  read: Reader<T>,
): Promise<Reply<T[]>> {
  const after = decodeCursor(scope, request.query.cursor, Position);
  const { values, next } = await gather(read, { after, limit: request.query.limit });
  return listReply(values, request.url, next === undefined ? undefined : encodeCursor(scope, next));
}
