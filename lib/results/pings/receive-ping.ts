import { resultExpiry } from '#lib/access/retention.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import { nextCheck, replaceCheck } from '#lib/checks/next-check.ts';
import type { Env } from '#lib/env.ts';
import type { PingBodyItem, PingItem } from '#lib/health/pings/ping-item.ts';
import { watchSilence } from '#lib/health/recording/watch-silence.ts';
import { silenceRules } from '#lib/health/silence/rules.ts';
import type { DueDeadline } from '#lib/messages.ts';
import { notFound } from '#lib/platform/errors.ts';
import type { Write } from '#lib/platform/ports.ts';
import { oneAtATime } from '#lib/platform/table/lock.ts';
import { AGAIN, commit, untilDone } from '#lib/platform/table/retry.ts';
import { withStart } from '#lib/results/pushes/open-runs.ts';
import { digestOfIdentity } from '#lib/results/pushes/receive-push.ts';
import type { PingFacts } from '#lib/results/result.ts';
import { sendDeadlines } from '#lib/schedule/jobs.ts';

type Kept = {
  facts: PingFacts;
  /** Empty: none is kept. */
  body: string;
  key: string | undefined;
};

/**
 * Keeps a ping that is no result. A start also opens a run of its check and is a sign of life: both are written with it
 * in one transaction, which takes the mark of a silence detection away (docs/ARCHITECTURE.md#the-recording-core). On a
 * disabled check it is kept and no more.
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
  await untilDone(ports, async () => (isOver(await commit(ports, own), own.length) ? true : AGAIN));
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
    untilDone<DueDeadline[]>(ports, async (tries) => {
      const now = tries === 0 ? check : await ports.table.get<CheckItem>(keys.check(check.tenant_id, check.id));
      if (!now) throw notFound('This check');
      const runs = now.enabled ? withStart(now.runs ?? [], rid, at, silenceRules(now).maxRun) : undefined;
      if (!runs) return isOver(await commit(ports, own), own.length) ? [] : AGAIN;
      const last_received = { at: now.last_received?.at ?? 0, received_at: at };
      const next = nextCheck(now, ports.ids.token(), { runs, last_received }, ['silence_at']);
      const deadline = await watchSilence(env, now, { runs, last_received }, ports.clock.now());
      const done = await commit(ports, [...own, replaceCheck(now, next), ...(deadline ? [deadline.write] : [])]);
      if (!isOver(done, own.length)) return AGAIN;
      return done.ok && deadline ? [deadline.due] : [];
    }),
  );
  await sendDeadlines(env, due);
}
