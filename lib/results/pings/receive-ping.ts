import { resultExpiry } from '#lib/access/retention.ts';
import type { Assertion } from '#lib/checks/assertions/assertion.ts';
import { evaluateAssertions } from '#lib/checks/assertions/evaluate.ts';
import { type CheckItem, nextCheck, replaceCheck } from '#lib/checks/check-item.ts';
import { heartbeatRules } from '#lib/checks/heartbeat.ts';
import { succeeded, withAssertionResults } from '#lib/checks/outcome.ts';
import type { StateEnv } from '#lib/checks/state/on-change.ts';
import type { Env } from '#lib/env.ts';
import { PINGS } from '#lib/keys.ts';
import type { DueDeadline } from '#lib/messages.ts';
import { notFound } from '#lib/platform/errors.ts';
import type { Write, WriteOutcome } from '#lib/platform/ports.ts';
import { commit, oneAtATime, RETRY, retryOnConflict } from '#lib/platform/table/retry.ts';
import { shorten } from '#lib/platform/text.ts';
import { heartbeatDeadlineWrite } from '#lib/results/pushes/missed-heartbeat.ts';
import { withStart } from '#lib/results/pushes/open-runs.ts';
import {
  digestOfIdentity,
  type EvaluatePush,
  type IdempotencyKeyItem,
  keyUsedError,
  receivePush,
} from '#lib/results/pushes/receive-push.ts';
import type { PingBodyItem, PingFacts } from '#lib/results/result.ts';
import { sendDeadlines } from '#lib/schedule/jobs.ts';
import type { PingItem } from './ping-item.ts';

/** Ping without a result, to be stored. `key`: its Idempotency-Key. */
type Kept = {
  facts: PingFacts;
  body: string;
  key: string | undefined;
};

/**
 * Stores a ping without a result. A start on an enabled check also opens a run and is a heartbeat, in one transaction
 * that drops `missed_mark` (docs/develop/recording.md#the-recording-core).
 */
export async function keepPing(env: Env, check: CheckItem, kept: Kept, retentionDays: number): Promise<void> {
  const { ports, keys } = env;
  const { facts, body, key } = kept;
  const at = ports.clock.now();
  const expires_at = resultExpiry(at, retentionDays);
  const token = ports.ids.token();
  const digest = key === undefined ? undefined : digestOfIdentity(key);
  const keyParts = [check.tenant_id, check.id, at, digest ?? token] as const;
  const item: PingItem = { ...keys.ping(...keyParts), v: token, expires_at, ping: facts };
  if (body !== '') {
    const bodyItem: PingBodyItem = { ...keys.pingBody(...keyParts), expires_at, text: body };
    await ports.table.putMany([bodyItem]);
  }
  const pointer = digest !== undefined && {
    ...keys.idempotencyKey(check.tenant_id, check.id, digest),
    v: token,
    expires_at,
    result_sk: item.sk,
  };
  const own: Write[] = [{ put: item, if: 'absent' }, ...(pointer ? [{ put: pointer, if: 'absent' as const }] : [])];
  if (facts.kind === 'start') return openRun(env, check, { own, at, rid: facts.rid });
  await retryOnConflict(ports, async () => (isStored(await commit(ports, own), own.length) ? true : RETRY));
}

/**
 * Whether the ping is stored, by this transaction or an earlier request with the same key. Throws CONFLICT if the
 * earlier request stored a result. @param ownCount number of writes of the ping, which begin the transaction
 */
function isStored(done: WriteOutcome, ownCount: number): boolean {
  if (done.ok) return true;
  const [, pointer] = done.present.slice(0, ownCount) as [PingItem?, IdempotencyKeyItem?];
  if (pointer && !pointer.result_sk.startsWith(PINGS)) throw keyUsedError('a result');
  return done.failed.some((at) => at < ownCount);
}

type Start = {
  own: Write[];
  at: number;
  rid: string | undefined;
};

async function openRun(env: Env, check: CheckItem, { own, at, rid }: Start): Promise<void> {
  const { ports, keys } = env;
  const due = await oneAtATime(ports.table, check.entity_id, () =>
    retryOnConflict<DueDeadline[]>(ports, async (attempt) => {
      const current = attempt === 0 ? check : await ports.table.get<CheckItem>(keys.check(check.tenant_id, check.id));
      if (!current) throw notFound('This check');
      const runs = current.enabled ? withStart(current.runs ?? [], rid, at, heartbeatRules(current).maxRun) : undefined;
      if (!runs) return isStored(await commit(ports, own), own.length) ? [] : RETRY;
      const last_received = { at: current.last_received?.at ?? 0, received_at: at };
      const next = nextCheck(current, ports.ids.token(), { runs, last_received }, ['missed_at']);
      const deadline = await heartbeatDeadlineWrite(env, current, { runs, last_received }, ports.clock.now());
      const done = await commit(ports, [...own, replaceCheck(current, next), ...(deadline ? [deadline.write] : [])]);
      if (!isStored(done, own.length)) return RETRY;
      return done.ok && deadline ? [deadline.due] : [];
    }),
  );
  await sendDeadlines(env, due);
}

export type Ping = Omit<PingFacts, 'body_bytes'> & {
  /** Body with masked secrets; empty without a body. */
  body: string;
  /** Idempotency-Key: pings with the same key count once. */
  key: string | undefined;
};

const MAX_QUOTED = 200;

/** Receives a ping; durable on return (docs/use/heartbeats.md#pings). Throws CpuLimitError; then nothing is stored. */
export async function receivePing(env: StateEnv, check: CheckItem, ping: Ping, retentionDays: number): Promise<void> {
  const { body: received, key, ...how } = ping;
  const body = check.config.keep_body === false ? '' : received;
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
    ...(success && { evaluate: evaluatorOf(env, check, received) }),
  };
  await receivePush(env, check, push, retentionDays);
}

/** Returns a function that evaluates the assertions on a success; undefined without assertions. */
function evaluatorOf({ ports }: StateEnv, { config, tenant_id }: CheckItem, text: string): EvaluatePush | undefined {
  const { assertions = [] }: { assertions?: Assertion[] } = config;
  if (assertions.length === 0) return undefined;
  const body = { text, bytes: Buffer.byteLength(text), isCut: false, type: '' };
  const cpu = ports.cpu.of(tenant_id);
  return async (latency_ms) => {
    const facts = { body, ...(latency_ms !== undefined && { latency_ms }) };
    return withAssertionResults(succeeded(latency_ms ?? 0), await evaluateAssertions(assertions, facts, { cpu }));
  };
}

/** Returns the error message, with the last line of the output, which usually has the reason. */
function messageOf(exitStatus: number | null, body: string): string {
  const summary = exitStatus === null ? 'reported as failed' : `exit status ${exitStatus}`;
  const last = body
    .trimEnd()
    .split(/[\r\n]/)
    .at(-1)!
    .replaceAll(/\p{Cc}/gu, ' ')
    .trim();
  return last === '' ? summary : `${summary}: ${shorten(last, MAX_QUOTED)}`;
}
