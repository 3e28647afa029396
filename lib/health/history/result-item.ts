import * as z from 'zod';
import { ERRORS, type ErrorKind } from '#lib/checks/registry.ts';
import type { PingKind } from '#lib/health/pings/ping-path.ts';
import { IdOf } from '#lib/platform/http/members.ts';
import { derivedId } from '#lib/platform/ids.ts';
import { pick } from '#lib/platform/pick.ts';
import type { Item } from '#lib/platform/ports.ts';

const meanings = Object.entries({ ...ERRORS, null: 'nothing failed' }).map(([kind, meaning]) => `${kind}: ${meaning}.`);

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
      .enum(Object.keys(ERRORS) as ErrorKind[])
      .nullable()
      .describe(`What failed. ${meanings.join(' ')}`),
    kind: z
      .enum(['scheduled', 'manual', 'push', 'silence'])
      .describe(
        'scheduled: a probe of its slot. manual: a probe that somebody asked for. push: your agent said so. silence: nobody did.',
      ),
    checked_at: z.iso.datetime().describe('When it was checked: when a probe was due, or the time that was pushed.'),
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
 * settings, if later) and settings revision; of one by hand: its instant, which is no slot; of a synthetic failure: its
 * deadline; of a push: its instant and key. Put once, on `absent`; its id follows from its key. Beside these it has the
 * `result` members of its check's type.
 */
export type ResultItem = Item &
  Omit<ResultRecord, 'id' | 'check_id' | 'kind'> & {
    /** Of a probe that somebody asked for; of others it follows from the rest. */
    kind?: 'manual';
    /** Push: epoch ms of its arrival. */
    received_at?: number;
    /** Of a ping: how it came. */
    ping?: PingFacts;
    /** Written in one transaction with what it changed; a repeat of it is done. */
    settled?: true;
    /** It changes no state: too old, obtained with older settings, or the check was disabled. */
    history?: true;
  };

/** How far (ms) the clock of an agent may be ahead of ours (docs/CONTRACT.md#pushes): nothing is ordered later. */
export const AHEAD_MS = 60_000;

/** Epoch ms by which results of a check are ordered. */
export const orderOf = (item: Pick<ResultItem, 'sk'>): number => Number(item.sk.slice(2, 15));

function kindOf({ kind, received_at, error_kind }: ResultItem): ResultRecord['kind'] {
  if (kind) return kind;
  if (received_at !== undefined) return 'push';
  return error_kind === 'silence' || error_kind === 'overrun' ? 'silence' : 'scheduled';
}

/** The result on the wire. */
export const resultRecord = (check_id: string, item: ResultItem): ResultRecord =>
  pick(ResultRecord, { ...item, kind: kindOf(item), id: derivedId('res', orderOf(item), item.pk, item.sk), check_id });
