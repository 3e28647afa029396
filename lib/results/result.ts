import * as z from 'zod';
import type { Context } from '#lib/access/context.ts';
import { redactUrls, seesSecrets } from '#lib/access/redaction.ts';
import { ExpiryMembers } from '#lib/checks/assertions/expiry.ts';
import { Outcome, outcomeOf } from '#lib/checks/outcome.ts';
import { ERRORS } from '#lib/checks/types/registry.ts';
import { IdOf } from '#lib/platform/http/route.ts';
import { derivedId } from '#lib/platform/ids.ts';
import { namesOf, pick } from '#lib/platform/plain-data.ts';
import type { Item } from '#lib/platform/ports.ts';

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
    ...ExpiryMembers.partial().shape,
  })
  .meta({ id: 'Result' });
export type ResultRecord = z.infer<typeof ResultRecord>;

/** Facts of a ping, in addition to its time and body. */
export type PingFacts = {
  kind: PingKind;
  /** Null if its path had none. */
  exit_status: number | null;
  /** Run id, a UUID in lower case. */
  rid?: string;
  method: string;
  remote_addr: string;
  /** Truncated to 200 characters. */
  user_agent: string;
  body_bytes: number;
};

/**
 * Result of a check, about 300 bytes, at `R#<ms>#<tail>`. The time is the slot of a probe (or the last change of
 * settings, if later), the deadline of a synthetic failure, and the instant of a push, retry or manual run. The tail is
 * the settings revision of a probe, retry or synthetic failure (`S<revision>`), a token of a manual run, or the digest
 * of a push's key. Put once, on `absent`; its id follows from its key.
 */
export type ResultItem = Item &
  Omit<ResultRecord, 'id' | 'check_id' | 'kind' | 'outcome' | 'warning_message' | 'days_left' | 'expires_at'> & {
    warning_message?: string;
    /** The `result` properties of its check's type. */
    noted?: Record<string, unknown>;
    /** Only for probes without a slot; otherwise derived. */
    kind?: 'manual' | 'retry';
    /** Push: time of arrival, epoch ms. */
    received_at?: number;
    ping?: PingFacts;
    /** Written in one transaction with its changes; a repeat has no effect. */
    settled?: true;
    /** Does not change the state: too old, probed with older settings, or the check was disabled. */
    history?: true;
  };

/** Maximum clock lead (ms) of a program (docs/use/heartbeats.md#results-and-heartbeats-with-a-key). */
export const MAX_CLOCK_SKEW_MS = 60_000;

/** Returns the order (epoch ms) of a result of a check. */
export const orderOf = (item: Pick<ResultItem, 'sk'>): number => Number(item.sk.slice(2, 15));

function kindOf({ kind, received_at, error_kind }: ResultItem): ResultRecord['kind'] {
  if (kind) return kind;
  if (received_at !== undefined) return 'push';
  return error_kind === 'missed_heartbeat' || error_kind === 'overrun' ? 'missed_heartbeat' : 'scheduled';
}

/** Fills the latency into a text of a probe (`error_message` in lib/checks/outcome.ts). */
export const withLatency = (text: string, { latency_ms }: { latency_ms: number }): string =>
  text.replaceAll('{latency_ms}', String(latency_ms));

/** Returns the texts of a result; those of a push are verbatim. */
export function textsOf(run: Pick<ResultItem, 'error_message' | 'warning_message' | 'latency_ms' | 'received_at'>) {
  const { error_message, warning_message = '', received_at } = run;
  if (received_at !== undefined) return { error_message, warning_message };
  return { error_message: withLatency(error_message, run), warning_message: withLatency(warning_message, run) };
}

const Expiry = ExpiryMembers.partial();

/** Returns the result as the API shows it. */
export const resultRecord = (check_id: string, item: ResultItem): ResultRecord =>
  pick(ResultRecord, {
    ...item,
    ...textsOf(item),
    outcome: outcomeOf(item),
    kind: kindOf(item),
    id: derivedId('res', orderOf(item), item.pk, item.sk),
    check_id,
    // On the item it is the end of retention.
    expires_at: undefined,
    ...pick(Expiry, item.noted ?? {}),
  });

/** Returns the result as the caller may see it; URLs in texts are redacted without permission to see secrets. */
export function resultView({ caller }: Pick<Context, 'caller'>, check_id: string, item: ResultItem): ResultRecord {
  const record = resultRecord(check_id, item);
  if (seesSecrets(caller)) return record;
  const { error_message, warning_message } = record;
  return { ...record, error_message: redactUrls(error_message), warning_message: redactUrls(warning_message) };
}

/** Kinds of pings. `log` is only stored. */
export const PING_KINDS = ['success', 'fail', 'start', 'log'] as const;
export type PingKind = (typeof PING_KINDS)[number];

/** Body of a ping, at `B#<ms>#<tail>`: at most 10,000 bytes. Put before the ping, expires with it. */
export type PingBodyItem = Item & { text: string };
