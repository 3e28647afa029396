import { resultExpiry } from '#lib/access/retention.ts';
import type { Assertion } from '#lib/checks/assertions/assertion.ts';
import { evaluateAssertions } from '#lib/checks/assertions/evaluate.ts';
import type { AssertionErrorKind } from '#lib/checks/assertions/sources.ts';
import { type CheckItem, nextCheck, replaceCheck } from '#lib/checks/check-item.ts';
import { heartbeatRules } from '#lib/checks/heartbeat.ts';
import { type ProbeOutcome, succeeded, withAssertionResults } from '#lib/checks/outcome.ts';
import type { StateEnv } from '#lib/checks/state/on-change.ts';
import type { Env } from '#lib/env.ts';
import type { DueDeadline } from '#lib/messages.ts';
import { notFound } from '#lib/platform/errors.ts';
import type { Write } from '#lib/platform/ports.ts';
import { commit, oneAtATime, RETRY, retryOnConflict } from '#lib/platform/table/retry.ts';
import { shorten } from '#lib/platform/text.ts';
import { heartbeatDeadlineWrite } from '#lib/results/pushes/missed-heartbeat.ts';
import { withStart } from '#lib/results/pushes/open-runs.ts';
import { digestOfIdentity, type EvaluatePush, receivePush } from '#lib/results/pushes/receive-push.ts';
import type { PingBodyItem, PingFacts } from '#lib/results/result.ts';
import { sendDeadlines } from '#lib/schedule/jobs.ts';
import type { PingItem } from './ping-item.ts';

type Kept = {
  facts: PingFacts;
  /** Empty: none is kept. */
  body: string;
  key: string | undefined;
};

/**
 * Keeps a ping that is no result. A start also opens a run of its check and is a sign of life: both are written with it
 * in one transaction, which takes the mark of a silence detection away (docs/develop/recording.md#the-recording-core).
 * On a disabled check it is kept and no more.
 */
export async function keepPing(env: Env, check: CheckItem, kept: Kept, retentionDays: number): Promise<void> {
  const { ports, keys } = env;
  const { facts, body, key } = kept;
  const at = ports.clock.now();
  const expires_at = resultExpiry(at, retentionDays);
  const token = ports.ids.token();
  const digest = key === undefined ? undefined : digestOfIdentity(key);
  const place = [check.tenant_id, check.id, at, digest ?? token] as const;
  const item: PingItem = { ...keys.ping(...place), v: token, expires_at, ping: facts };
  if (body !== '') {
    const kept: PingBodyItem = { ...keys.pingBody(...place), expires_at, text: body };
    await ports.table.putMany([kept]);
  }
  const pointer = digest !== undefined && {
    ...keys.pushKey(check.tenant_id, check.id, digest),
    v: token,
    expires_at,
    result_sk: item.sk,
  };
  const own: Write[] = [{ put: item, if: 'absent' }, ...(pointer ? [{ put: pointer, if: 'absent' as const }] : [])];
  if (facts.kind === 'start') return begin(env, check, { own, at, rid: facts.rid });
  await retryOnConflict(ports, async () => (isOver(await commit(ports, own), own.length) ? true : RETRY));
}

/** Whether it is written, or was by a request with the same key before. */
const isOver = (done: Awaited<ReturnType<typeof commit>>, own: number): boolean =>
  done.ok || done.failed.some((at) => at < own);

type Start = {
  /** The writes that keep the ping. */
  own: Write[];
  /** Epoch ms. */
  at: number;
  rid: string | undefined;
};

async function begin(env: Env, check: CheckItem, { own, at, rid }: Start): Promise<void> {
  const { ports, keys } = env;
  const due = await oneAtATime(ports.table, check.entity_id, () =>
    retryOnConflict<DueDeadline[]>(ports, async (tries) => {
      const now = tries === 0 ? check : await ports.table.get<CheckItem>(keys.check(check.tenant_id, check.id));
      if (!now) throw notFound('This check');
      const runs = now.enabled ? withStart(now.runs ?? [], rid, at, heartbeatRules(now).maxRun) : undefined;
      if (!runs) return isOver(await commit(ports, own), own.length) ? [] : RETRY;
      const last_received = { at: now.last_received?.at ?? 0, received_at: at };
      const next = nextCheck(now, ports.ids.token(), { runs, last_received }, ['silence_at']);
      const deadline = await heartbeatDeadlineWrite(env, now, { runs, last_received }, ports.clock.now());
      const done = await commit(ports, [...own, replaceCheck(now, next), ...(deadline ? [deadline.write] : [])]);
      if (!isOver(done, own.length)) return RETRY;
      return done.ok && deadline ? [deadline.due] : [];
    }),
  );
  await sendDeadlines(env, due);
}

/** A success that a job reports. */
type ReportedSuccess = {
  /** As text; empty where it has none. */
  body: string;
  /** How many bytes of it were read, and whether there were more. */
  bytes: number;
  isCut: boolean;
  /** How long the run took; undefined where it was not measured: latency is not judged then. */
  latency_ms: number | undefined;
};

/** What a success comes to by the assertions of its push check: one that does not hold makes it a failure. */
async function judgePing(
  assertions: readonly Assertion[] | undefined,
  { body: text, bytes, isCut, latency_ms }: ReportedSuccess,
): Promise<ProbeOutcome<AssertionErrorKind>> {
  const facts = { body: { text, bytes, isCut, type: '' }, ...(latency_ms !== undefined && { latency_ms }) };
  return withAssertionResults(succeeded(latency_ms ?? 0), await evaluateAssertions(assertions, facts, false));
}

/** A ping as it came. */
export type Ping = Omit<PingFacts, 'body_bytes'> & {
  /** Without secrets; empty where none came. */
  body: string;
  /** Idempotency-Key: two with the same are one. */
  key: string | undefined;
};

/** Characters of a body that errors quote. */
const MAX_QUOTED = 200;

/**
 * Receives one ping of a push check; it is durable when this returns. The end of a run is a push like any other
 * (docs/use/heartbeats.md#pings).
 */
export async function receivePing(env: StateEnv, check: CheckItem, ping: Ping, retentionDays: number): Promise<void> {
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
function judgeOf({ config }: CheckItem, body: string): EvaluatePush | undefined {
  const { assertions = [] }: { assertions?: Assertion[] } = config;
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
  return last === '' ? said : `${said}: ${shorten(last, MAX_QUOTED)}`;
}
