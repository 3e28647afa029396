import * as z from 'zod';
import type { Context } from '#lib/access/context.ts';
import { redactUrls } from '#lib/access/redaction.ts';
import { type ResultItem, resultRecord } from './result-item.ts';

/** A result on the wire (docs/CONTRACT.md#results). */
export const ResultRecord = z
  .object({
    id: z.string(),
    check_id: z.string(),
    status_code: z.int(),
    latency_ms: z.int(),
    success: z.boolean(),
    error_message: z.string(),
    error_kind: z.string().nullable(),
    checked_at: z.iso.datetime(),
  })
  .meta({ id: 'Result' });
export type ResultRecord = z.infer<typeof ResultRecord>;

/** A result as the caller may see it: a read-only key sees no URL in its error. */
export function resultView({ caller }: Pick<Context, 'caller'>, check_id: string, item: ResultItem): ResultRecord {
  const record = resultRecord(check_id, item);
  return caller.is_read_only ? { ...record, error_message: redactUrls(record.error_message) } : record;
}
