import type { Context } from '#lib/access/context.ts';
import { redactUrls } from '#lib/access/redaction.ts';
import { type ResultItem, type ResultRecord, resultRecord } from './result-item.ts';

/** A result as the caller may see it: a read-only key sees no URL in its error. */
export function resultView({ caller }: Pick<Context, 'caller'>, check_id: string, item: ResultItem): ResultRecord {
  const record = resultRecord(check_id, item);
  return caller.is_read_only ? { ...record, error_message: redactUrls(record.error_message) } : record;
}
