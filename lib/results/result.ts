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

/** A result on the wire (docs/use/states-and-history.md#results). */
export const ResultRecord = z
  .object({
    id: IdOf('the result'),
    check_id: IdOf('the check'),
    status_code: z.int().describe('Of the HTTP response, or as it was pushed; 0 when there is none.'),
    latency_ms: z.int().describe('How long it took, in milliseconds.'),
    outcome: Outcome.describe('ok: a success. warn: a success with a warning. fail: a failure.'),
    success: z.boolean().describe('Whether it counts as a success, as ok and warn do.'),
    error_message: z.string().describe('What was wrong and what to do; empty when nothing was.'),
    error_kind: z
      .enum(namesOf(ERRORS))
      .nullable()
      .describe(`What failed. ${meanings.join(' ')}`),
    warning_message: z
      .string()
      .describe('What was not as it should be, though no failure by itself; empty when nothing was.'),
    kind: z
      .enum(['scheduled', 'retry', 'manual', 'push', 'missed_heartbeat'])
      .describe(
        'scheduled: a probe of its slot. retry: a probe between slots, as the state was undecided. manual: a probe that somebody asked for. push: your agent said so. silence: nobody did.',
      ),
    checked_at: z.iso.datetime().describe('When it was checked: when a probe was due, or the time that was pushed.'),
    ...ExpiryMembers.partial().shape,
  })
  .meta({ id: 'Result' });
export type ResultRecord = z.infer<typeof ResultRecord>;

/** How a ping came: what its list shows of it, beside its time and what it says. */
export type PingFacts = {
  kind: PingKind;
  /** Null where its path had none. */
  exit_status: number | null;
  /** The id of its run, a UUID in lower case. */
  rid?: string;
  method: string;
  remote_addr: string;
  /** Cut at 200 characters. */
  user_agent: string;
  /** Of the text that is kept. */
  body_bytes: number;
};

/**
 * One result, about 300 bytes, under its check at `R#<ms>#<tail>`. Of a probe: its slot (or the last change of
 * settings, if later) and settings revision; of a retry: its instant and that; of one by hand: its instant. Neither of
 * these is a slot. Of a synthetic failure: its deadline; of a push: its instant and key. Put once, on `absent`; its id
 * follows from its key.
 */
export type ResultItem = Item &
  Omit<ResultRecord, 'id' | 'check_id' | 'kind' | 'outcome' | 'warning_message' | 'days_left' | 'expires_at'> & {
    /** Absent when there is none. */
    warning_message?: string;
    /** The `result` members of its check's type. */
    noted?: Record<string, unknown>;
    /** Of a probe that is no slot's; of others it follows from the rest. */
    kind?: 'manual' | 'retry';
    /** Push: epoch ms of its arrival. */
    received_at?: number;
    /** Of a ping: how it came. */
    ping?: PingFacts;
    /** Written in one transaction with what it changed; a repeat of it is done. */
    settled?: true;
    /** It changes no state: too old, obtained with older settings, or the check was disabled. */
    history?: true;
  };

/**
 * How far (ms) the clock of an agent may be ahead of ours (docs/use/heartbeats.md#results-and-heartbeats-with-a-key):
 * nothing is ordered later.
 */
export const MAX_CLOCK_SKEW_MS = 60_000;

/** Epoch ms by which results of a check are ordered. */
export const orderOf = (item: Pick<ResultItem, 'sk'>): number => Number(item.sk.slice(2, 15));

function kindOf({ kind, received_at, error_kind }: ResultItem): ResultRecord['kind'] {
  if (kind) return kind;
  if (received_at !== undefined) return 'push';
  return error_kind === 'missed_heartbeat' || error_kind === 'overrun' ? 'missed_heartbeat' : 'scheduled';
}

/** A text of a probe with its latency filled in (`error_message` in lib/checks/types/check-type.ts). */
export const withLatency = (text: string, { latency_ms }: { latency_ms: number }): string =>
  text.replaceAll('{latency_ms}', String(latency_ms));

/** The texts of a run as they are read. What was pushed is shown to the letter. */
export function textsOf(run: Pick<ResultItem, 'error_message' | 'warning_message' | 'latency_ms' | 'received_at'>) {
  const { error_message, warning_message = '', received_at } = run;
  if (received_at !== undefined) return { error_message, warning_message };
  return { error_message: withLatency(error_message, run), warning_message: withLatency(warning_message, run) };
}

const Expiry = ExpiryMembers.partial();

/** The result on the wire. */
export const resultRecord = (check_id: string, item: ResultItem): ResultRecord =>
  pick(ResultRecord, {
    ...item,
    ...textsOf(item),
    outcome: outcomeOf(item),
    kind: kindOf(item),
    id: derivedId('res', orderOf(item), item.pk, item.sk),
    check_id,
    // That of the item is when it is no longer kept.
    expires_at: undefined,
    ...pick(Expiry, item.noted ?? {}),
  });

/** A result as the caller may see it: who may only read sees no URL in its texts. */
export function resultView({ caller }: Pick<Context, 'caller'>, check_id: string, item: ResultItem): ResultRecord {
  const record = resultRecord(check_id, item);
  if (seesSecrets(caller)) return record;
  const { error_message, warning_message } = record;
  return { ...record, error_message: redactUrls(error_message), warning_message: redactUrls(warning_message) };
}

/** What a ping says. `log` says nothing of a run: it is only kept. */
export const PING_KINDS = ['success', 'fail', 'start', 'log'] as const;
export type PingKind = (typeof PING_KINDS)[number];

/** What a ping brought, at `B#<ms>#<tail>`: at most 10,000 bytes. Put before the ping, and dropped with it. */
export type PingBodyItem = Item & { text: string };
