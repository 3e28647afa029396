import * as z from 'zod';
import type { Context } from '#lib/access/context.ts';
import { redactUrls } from '#lib/access/redaction.ts';
import { ERROR_KINDS } from '#lib/checks/check-type.ts';
import { IdOf } from '#lib/platform/http/members.ts';
import { derivedId } from '#lib/platform/ids.ts';
import { pick } from '#lib/platform/pick.ts';
import { orderOf, type ResultItem } from './result-item.ts';

/** A result on the wire (docs/CONTRACT.md#results). */
export const ResultRecord = z
  .object({
    id: IdOf('the result'),
    check_id: IdOf('the check'),
    status_code: z.int().describe('Of the HTTP response, or as it was pushed; 0 when there is none.'),
    latency_ms: z.int().describe('How long it took, in milliseconds.'),
    success: z.boolean().describe('Whether it counts as a success.'),
    error_message: z.string().describe('What was wrong and what to do; empty when nothing was.'),
    error_kind: z
      .enum(ERROR_KINDS)
      .nullable()
      .describe(
        'What failed. dns: the name did not resolve, or the record is another. connect: no connection. timeout: no answer in time. tls: handshake or certificate. status: another status than expected. body: the text is not in it. redirect: too many, or a wrong one. egress: the address may not be reached from here. silence: a push check was silent past its grace. reported: your agent said so. null: nothing failed.',
      ),
    checked_at: z.iso.datetime().describe('When it was checked: when a probe was due, or the time that was pushed.'),
  })
  .meta({ id: 'Result' });
export type ResultRecord = z.infer<typeof ResultRecord>;

export const resultRecord = (check_id: string, item: ResultItem): ResultRecord =>
  pick(ResultRecord, { ...item, id: derivedId('res', orderOf(item), item.pk, item.sk), check_id });

/** A result as the caller may see it: a read-only key sees no URL in its error. */
export function resultView({ caller }: Pick<Context, 'caller'>, check_id: string, item: ResultItem): ResultRecord {
  const record = resultRecord(check_id, item);
  return caller.is_read_only ? { ...record, error_message: redactUrls(record.error_message) } : record;
}
