import type { ErrorKind } from '#lib/checks/types/registry.ts';
import type { Item } from '#lib/platform/ports.ts';

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
 * the settings revision for a probe or retry, `S<revision>` for a synthetic failure, `M<token>` for a manual run, and
 * for a push the digest of its identity or a token. Put on `absent`; only a push that was stored as quiet and applied
 * later is replaced. The id of the result is derived from its key.
 */
export type ResultItem = Item & {
  status_code: number;
  latency_ms: number;
  success: boolean;
  error_message: string;
  error_kind: ErrorKind | null;
  /** ISO 8601. */
  checked_at: string;
  warning_message?: string;
  /** Values that the probe read, such as `expires_at`; the `result` properties of its check's type. */
  noted?: Record<string, unknown>;
  /** Only for probes without a slot; otherwise derived. */
  kind?: 'manual' | 'retry';
  /** Push: time of arrival, epoch ms. */
  received_at?: number;
  ping?: PingFacts;
  /** Push: applied in one transaction with its changes, so that a repeat has no effect. */
  applied?: true;
  /** Recorded without effect on the state: too old, probed with older settings, or the check was disabled. */
  record_only?: true;
};

/** Maximum time (ms) of checked_at in the future (docs/use/heartbeats.md#results-and-heartbeats-with-a-key). */
export const MAX_FUTURE_MS = 60_000;

/** Returns the time (epoch ms) in the key of a result, by which results are ordered. */
export const orderOf = (item: Pick<ResultItem, 'sk'>): number => Number(item.sk.slice(2, 15));

/** Replaces `{latency_ms}` in a text of a probe (`error_message` in lib/checks/outcome.ts). */
export const withLatency = (text: string, { latency_ms }: { latency_ms: number }): string =>
  text.replaceAll('{latency_ms}', String(latency_ms));

/** Returns the texts of a result; the texts of a push are returned verbatim. */
export function textsOf(item: Pick<ResultItem, 'error_message' | 'warning_message' | 'latency_ms' | 'received_at'>) {
  const { error_message, warning_message = '', received_at } = item;
  if (received_at !== undefined) return { error_message, warning_message };
  return { error_message: withLatency(error_message, item), warning_message: withLatency(warning_message, item) };
}

/** Kinds of pings. `log` is only stored. */
export const PING_KINDS = ['success', 'fail', 'start', 'log'] as const;
export type PingKind = (typeof PING_KINDS)[number];

/** Body of a ping, at `B#<ms>#<tail>`: at most 10,000 bytes. Put before the ping, expires with it. */
export type PingBodyItem = Item & { text: string };
