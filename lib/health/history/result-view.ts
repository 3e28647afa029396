import type { Context } from '#lib/access/context.ts';
import { redactUrls, seesSecrets } from '#lib/access/redaction.ts';
import { type ResultItem, type ResultRecord, resultRecord } from './result-item.ts';

/** A result as the caller may see it: who may only read sees no URL in its error. */
export function resultView({ caller }: Pick<Context, 'caller'>, check_id: string, item: ResultItem): ResultRecord {
  const record = resultRecord(check_id, item);
  return seesSecrets(caller) ? record : { ...record, error_message: redactUrls(record.error_message) };
}
