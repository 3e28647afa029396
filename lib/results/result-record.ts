import * as z from 'zod';
import type { Context } from '#lib/access/context.ts';
import { redactUrls, seesSecrets } from '#lib/access/redaction.ts';
import { ExpiryProperties } from '#lib/checks/assertions/expiry.ts';
import { Outcome, outcomeOf } from '#lib/checks/outcome.ts';
import { ERRORS } from '#lib/checks/types/registry.ts';
import { IdOf } from '#lib/platform/http/route.ts';
import { derivedId } from '#lib/platform/ids.ts';
import { namesOf, pick } from '#lib/platform/plain-data.ts';
import { orderOf, type ResultItem, textsOf } from './result.ts';

const meanings = Object.entries({ ...ERRORS, null: 'nothing failed' }).map(([kind, meaning]) => `${kind}: ${meaning}.`);

/** Result as the API shows it (docs/use/states-and-history.md#results). */
export const ResultRecord = z
  .object({
    id: IdOf('the result'),
    check_id: IdOf('the check'),
    status_code: z.int().describe('Status code of the HTTP response or of the push; 0 if there is no such code.'),
    latency_ms: z.int().describe('Latency in milliseconds.'),
    outcome: Outcome.describe('ok: success. warn: success with a warning. fail: failure.'),
    success: z.boolean().describe('Whether it counts as a success: true for ok and warn.'),
    error_message: z.string().describe('Human-readable error and remedy; empty without an error.'),
    error_kind: z
      .enum(namesOf(ERRORS))
      .nullable()
      .describe(`Kind of failure. ${meanings.join(' ')}`),
    warning_message: z.string().describe('Human-readable warning; empty without a warning.'),
    kind: z
      .enum(['scheduled', 'retry', 'manual', 'push', 'missed_heartbeat'])
      .describe(
        'scheduled: probe of a slot. retry: probe between slots. manual: requested by a user. push: reported by a job. missed_heartbeat: heartbeat or end of a run overdue.',
      ),
    checked_at: z.iso
      .datetime()
      .describe(
        'Start of the probe, deadline of the missed heartbeat, or time of the push: as given, else its arrival.',
      ),
    ...ExpiryProperties.partial().shape,
  })
  .meta({ id: 'Result' });
export type ResultRecord = z.infer<typeof ResultRecord>;

function kindOf({ kind, received_at, error_kind }: ResultItem): ResultRecord['kind'] {
  if (kind) return kind;
  if (received_at !== undefined) return 'push';
  return error_kind === 'missed_heartbeat' || error_kind === 'overrun' ? 'missed_heartbeat' : 'scheduled';
}

const Expiry = ExpiryProperties.partial();

export const resultRecord = (check_id: string, item: ResultItem): ResultRecord =>
  pick(ResultRecord, {
    ...item,
    ...textsOf(item),
    outcome: outcomeOf(item),
    kind: kindOf(item),
    id: derivedId('res', orderOf(item), item.pk, item.sk),
    check_id,
    // The property of the item is the end of its retention, not the expiry that a probe found.
    expires_at: undefined,
    ...pick(Expiry, item.noted ?? {}),
  });

/** Returns the result as the caller may see it; URLs in texts are redacted for a caller that may not see secrets. */
export function resultView({ caller }: Pick<Context, 'caller'>, check_id: string, item: ResultItem): ResultRecord {
  const record = resultRecord(check_id, item);
  if (seesSecrets(caller)) return record;
  const { error_message, warning_message } = record;
  return { ...record, error_message: redactUrls(error_message), warning_message: redactUrls(warning_message) };
}
