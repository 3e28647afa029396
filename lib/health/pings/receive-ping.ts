import type { Assertion } from '#lib/checks/assertions/assertion.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import { judgePing } from '#lib/checks/judge-ping.ts';
import type { Env } from '#lib/env.ts';
import type { JudgePush } from '#lib/health/recording/judge-push.ts';
import { shorten } from '#lib/platform/text.ts';
import { keepPing } from '#lib/results/pings/receive-ping.ts';
import { receivePush } from '#lib/results/pushes/receive-push.ts';
import type { PingFacts } from '#lib/results/result.ts';

/** A ping as it came. */
export type Ping = Omit<PingFacts, 'body_bytes'> & {
  /** Without secrets; empty where none came. */
  body: string;
  /** Idempotency-Key: two with the same are one. */
  key: string | undefined;
};

/** Characters of a body that errors quote. */
const MOST_QUOTED = 200;

/**
 * Receives one ping of a push check; it is durable when this returns. The end of a run is a push like any other
 * (docs/CONTRACT.md#pings).
 */
export async function receivePing(env: Env, check: CheckItem, ping: Ping, retentionDays: number): Promise<void> {
  const { body: came, key, ...how } = ping;
  const body = check.config.keep_body === false ? '' : came;
  const facts: PingFacts = { ...how, body_bytes: Buffer.byteLength(body) };
  if (ping.kind === 'start' || ping.kind === 'log') return keepPing(env, check, { facts, body, key }, retentionDays);
  const success = ping.kind === 'success';
  const push = {
    success,
    latency_ms: 0,
    status_code: ping.exit_status ?? 0,
    error_message: success ? '' : messageOf(ping.exit_status, body),
    checked_at: undefined,
    identity: key === undefined ? undefined : { kind: 'key' as const, text: key },
    ends: { rid: ping.rid, measured: true },
    ping: facts,
    body,
    ...(success && { judge: judgeOf(check, came) }),
  };
  await receivePush(env, check, push, retentionDays);
}

/** Judges a success by the assertions of its check; undefined where it has none. */
function judgeOf({ config }: CheckItem, body: string): JudgePush | undefined {
  const { assertions = [] } = config as { assertions?: Assertion[] };
  if (assertions.length === 0) return undefined;
  const bytes = Buffer.byteLength(body);
  return (latency_ms) => judgePing(assertions, { body, bytes, isCut: false, latency_ms });
}

/** What an alert says of it: with the last line that the job wrote, which mostly is why. */
function messageOf(exitStatus: number | null, body: string): string {
  const said = exitStatus === null ? 'reported as failed' : `exit status ${exitStatus}`;
  const last = body
    .trimEnd()
    .split(/[\r\n]/)
    .at(-1)!
    .replaceAll(/\p{Cc}/gu, ' ')
    .trim();
  return last === '' ? said : `${said}: ${shorten(last, MOST_QUOTED)}`;
}
