import type { Context } from '#lib/access/context.ts';
import { redactUrls, seesSecrets } from '#lib/access/redaction.ts';
import { type ResultItem, type ResultRecord, resultRecord } from '#lib/results/result.ts';

/** A result as the caller may see it: who may only read sees no URL in its texts. */
export function resultView({ caller }: Pick<Context, 'caller'>, check_id: string, item: ResultItem): ResultRecord {
  const record = resultRecord(check_id, item);
  if (seesSecrets(caller)) return record;
  const { error_message, warning_message } = record;
  return { ...record, error_message: redactUrls(error_message), warning_message: redactUrls(warning_message) };
}
