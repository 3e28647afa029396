import { createHash } from 'node:crypto';
import * as z from 'zod';
import { invalid } from '#lib/platform/errors.ts';
import { yieldEvery } from '#lib/platform/yielding.ts';
import { Reply } from './route.ts';

/**
 * The most a list answers at once (docs/api/README.md#lists-and-pagination): the whole answer stays under a gateway's 6
 * MB.
 */
const MAX_ITEMS = 1000;
const MAX_BYTES = 4_000_000;
/** Items read together: what a list holds in memory beside its answer. */
const CHUNK = 200;
/** Of its text written before everything else in the process gets its turn. */
const BYTES_A_TURN = 512 * 1024;

/** `limit` of a list: over the maximum is clamped, under 1 or not a number is refused. */
export const limitParam = (fallback: number, max: number) =>
  z
    .string()
    .regex(/^0*[1-9]\d*$/, 'must be a whole number of at least 1')
    .transform((text) => Math.min(Number(text), max))
    .default(fallback)
    .meta({ type: 'integer', minimum: 1, description: `Default ${fallback}; more than ${max} counts as ${max}.` });

/** Where a page begins. */
const cursorParam = z.string().optional().describe('From the answer before: in its Link header.');

/** Query of a list that answers everything up to the most. */
export const ListQuery = z.object({ limit: limitParam(MAX_ITEMS, MAX_ITEMS), cursor: cursorParam });

/** A sort key as a cursor's position: whatever a forged cursor holds, the table is asked nothing impossible. */
export const Position = z.string().regex(/^[\x20-\x7e]{1,1024}$/);

const sealOf = (scope: string): string => createHash('sha256').update(scope).digest('base64url').slice(0, 8);

/** @param scope the list it belongs to, tenant included: a cursor of another list is refused. */
export const encodeCursor = (scope: string, position: unknown): string =>
  Buffer.from(JSON.stringify([sealOf(scope), position])).toString('base64url');

/** The position in a cursor, undefined without one; a garbled or foreign one is a VALIDATION_ERROR. */
export function decodeCursor<T>(scope: string, cursor: string | undefined, shape: z.ZodType<T>): T | undefined {
  if (cursor === undefined) return undefined;
  try {
    const bytes = Buffer.from(cursor, 'base64url');
    const [seal, position] = JSON.parse(bytes.toString('utf8'));
    // Node skips what is no base64url: only what it writes itself is a cursor.
    if (seal === sealOf(scope) && bytes.toString('base64url') === cursor) return shape.parse(position);
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
  // A header carries ASCII only; what is percent-encoded already stays as it is.
  const path = encodeURI(url.path).replaceAll('%25', '%');
  return new Reply(value, { link: `<${path}?${search}>; rel="next"` });
}

/**
 * Reads on behind a position: up to `limit` records, each with its position. It may find fewer and still go on.
 * `enough`: it has looked at so much that the page ends here, however few there are.
 */
export type Reader<T> = (
  after: string | undefined,
  limit: number,
) => Promise<{ found: { at: string; value: T }[]; next?: string | undefined; enough?: boolean }>;

/**
 * Up to `limit` records or `maxBytes` (4 MB) of a list, at least one unless its reader had enough; `next` is the
 * position to go on behind when more remains. Reads one record more than asked, so that a list that ends here says so.
 */
export async function gather<T>(
  read: Reader<T>,
  from: { after?: string | undefined; limit?: number | undefined; maxBytes?: number } = {},
): Promise<{ values: T[]; next?: string }> {
  const { limit = MAX_ITEMS, maxBytes = MAX_BYTES } = from;
  const values: T[] = [];
  let last = '';
  let bytes = 0;
  let after = from.after;
  const written = yieldEvery(BYTES_A_TURN);
  do {
    const chunk = await read(after, Math.min(limit + 1 - values.length, CHUNK));
    for (const { at, value } of chunk.found) {
      const size = Buffer.byteLength(JSON.stringify(value)) + 1;
      const turn = written(size);
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

/**
 * The whole of a list endpoint with `ListQuery`.
 * @param scope names the list, tenant included
 */
export async function listOf<T>(
  scope: string,
  call: { query: z.output<typeof ListQuery>; url: { path: string; search: URLSearchParams } },
  read: Reader<T>,
): Promise<Reply<T[]>> {
  const after = decodeCursor(scope, call.query.cursor, Position);
  const { values, next } = await gather(read, { after, limit: call.query.limit });
  return listReply(values, call.url, next === undefined ? undefined : encodeCursor(scope, next));
}
