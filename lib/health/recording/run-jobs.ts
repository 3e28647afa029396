import { type AccountItem, boundTo, isDisabled } from '#lib/access/account.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import { checkTypeOf } from '#lib/checks/registry.ts';
import type { Env } from '#lib/env.ts';
import type { GapNoteItem } from '#lib/health/history/gap-causes.ts';
import { resultExpiry } from '#lib/health/history/retention.ts';
import type { Job } from '#lib/messages.ts';
import type { Item, Ports } from '#lib/platform/ports.ts';
import { NO_PLACE } from '#lib/platform/sharing/fair-shares.ts';
import { packSlowJobs } from '#lib/schedule/jobs.ts';
import { isSlot, rhythmOf } from '#lib/schedule/slots.ts';
import { type Lane, type Lanes, makeLanes } from './lanes.ts';
import { lateProbes } from './late-probes.ts';
import { type Attribution, type OwnNetwork, ownNetwork, probeRoute } from './own-network.ts';
import { isOwnStall } from './own-stall.ts';
import { type Probe, recordProbe } from './record-probe.ts';

/** A job that the present settings still want. */
type DueProbe = { job: Job; check: CheckItem; account: AccountItem };

/** Retry window after the slot (ms) while a failure is not attributed. */
const UNCLEAR_MS = 60_000;

/** A check that waited so long (ms) for its place is read again. */
const READ_AGAIN_MS = 2_000;

/** What a process keeps between its batches. */
type Prober = { lanes: Lanes; network: OwnNetwork; noteLate: (job: Job) => Promise<void> };

export const makeProber = (env: Env): Prober => {
  const { ports } = env;
  const lanes = makeLanes(ports);
  return { lanes, network: ownNetwork(ports), noteLate: lateProbes(env, lanes) };
};

/**
 * Probes the checks of a batch as soon as each has a place and records each outcome as it ends. Jobs of deleted or
 * disabled checks, and those whose instant is no slot of the present settings, are dropped; one whose next slot is due
 * is left as a gap; those that were slow last time are sent to the slow lane. Targets that did not answer at all wait
 * for the batch to say whether our own network is to blame.
 * @returns the jobs to be sent again: they could not be recorded, by a fault of ours or because it is unclear whose, or
 *   found no place
 */
export async function runJobs(
  env: Env,
  { lane, jobs }: { lane: Lane; jobs: Job[] },
  { lanes, network, noteLate }: Prober,
  signal?: AbortSignal,
): Promise<Job[]> {
  const { ports } = env;
  const failed: Job[] = [];
  const batch = batchVerdict(network);
  const attempt = async (one: DueProbe, work: () => Promise<unknown>) => {
    try {
      await work();
    } catch (error) {
      const { tenant_id, check_id, slot } = one.job;
      ports.log.error('a probe could not be recorded', { tenant_id, check_id, slot, error });
      failed.push(one.job);
      await noteGap(env, one, 'error').catch((again: unknown) =>
        ports.log.error('a gap could not be noted', { tenant_id, check_id, slot, error: again }),
      );
    }
  };

  const handOn = async (slow: Job[]) => {
    if (slow.length === 0) return;
    await ports.queues.send('slow', packSlowJobs(slow)).catch((error: unknown) => {
      ports.log.error('jobs could not be handed to the slow lane', { jobs: slow, error });
      failed.push(...slow);
    });
  };

  const readAt = ports.clock.now();
  const found = await wanted(env, jobs);
  const late = found.filter((one) => isLate(one, readAt));
  const due = found.filter((one) => !isLate(one, readAt));
  const belongsHere = ({ check }: DueProbe): boolean => lane === 'slow' || !check.slow;
  const held: Promise<void>[] = [];
  const probed = due.filter(belongsHere).map((one) =>
    attempt(one, async () => {
      const claim = { tenant: one.job.tenant_id, target: hostOf(one.check) };
      const probe = await lanes[lane].run(claim, async () => {
        // Its state decides what the outcome changes: read long ago, it may have changed while this waited.
        const isOld = ports.clock.now() - readAt > READ_AGAIN_MS;
        const [still] = isOld ? await wanted(env, [one.job]) : [one];
        if (!still || signal?.aborted) return undefined;
        return lanes.begin(claim, async () =>
          isLate(still, ports.clock.now()) ? undefined : await probeOnce(ports, still),
        );
      });
      if (probe === NO_PLACE) return void failed.push(one.job);
      // This run timed out and has a successor; it must not write beside it.
      if (!probe || signal?.aborted) return;
      if (!batch.isSuspect(probe)) return recordProbe(env, probe);
      held.push(
        attempt(one, async () => {
          const verdict = await batch.blame;
          // What began while the network was down may end in silence after it is back.
          const blame = network.wasDown(probe.started_at) ? 'network' : verdict;
          if (signal?.aborted) return;
          if (blame === 'unclear' && mayTryAgain(one, ports.clock.now())) failed.push(one.job);
          else if (blame === 'network') await noteGap(env, one, 'network');
          else await recordProbe(env, probe);
        }),
      );
    }),
  );
  await handOn(due.filter((one) => !belongsHere(one)).map(({ job }) => job));
  // Behind what can still be in time.
  for (const { job } of late) await noteLate(job);
  await Promise.all(probed);
  await batch.end(held.length > 0);
  await Promise.all(held);
  return failed;
}

/** Attributes the silence of targets in a batch: by the first answer, or at the end. */
function batchVerdict(network: OwnNetwork) {
  const { promise: blame, resolve: settle } = Promise.withResolvers<Attribution>();
  return {
    blame,
    isSuspect({ check, outcome }: Probe): boolean {
      const way = probeRoute(check);
      if (way === 'this machine') return false;
      const isSilent = outcome.unanswered === true;
      // Our resolver may answer out of its memory, which says nothing of the network.
      if (way !== 'our resolver') {
        network.record(way.host, !isSilent);
        if (!isSilent) settle('target');
      }
      return isSilent;
    },
    async end(hasSuspects: boolean): Promise<void> {
      if (hasSuspects) settle(await network.attribute());
      await network.refreshReference();
    },
  };
}

/** Says on the check why a slot has no result. Should it get one after all, the note means nothing. */
async function noteGap({ ports, keys }: Env, { job, account }: DueProbe, cause: GapNoteItem['cause']): Promise<void> {
  const { tenant_id, check_id, slot } = job;
  const note: GapNoteItem = {
    ...keys.gapNote(tenant_id, check_id, slot),
    expires_at: resultExpiry(slot, account.retention_days),
    cause,
  };
  await ports.table.putMany([note]);
  ports.log.warn('a slot is a gap', { tenant_id, check_id, slot, cause });
}

/** One strong read of each check and account of the batch says which of its jobs still stand. */
async function wanted({ ports, keys }: Env, jobs: Job[]): Promise<DueProbe[]> {
  const wantedKeys = new Map<string, ReturnType<typeof keys.check>>();
  for (const job of jobs) {
    for (const key of [keys.check(job.tenant_id, job.check_id), keys.account(job.tenant_id)])
      wantedKeys.set(key.pk, key);
  }
  const items = new Map<string, Item | undefined>();
  const found = await ports.table.getMany([...wantedKeys.values()]);
  for (const [i, pk] of [...wantedKeys.keys()].entries()) items.set(pk, found[i]);

  return jobs.flatMap((job) => {
    const check = items.get(keys.check(job.tenant_id, job.check_id).pk) as CheckItem | undefined;
    const account = items.get(keys.account(job.tenant_id).pk) as AccountItem | undefined;
    if (!check?.enabled || !account || isDisabled(account)) return [];
    return isSlot(rhythmOf(check.id, check.interval_seconds), job.slot) ? [{ job, check, account }] : [];
  });
}

const isLate = ({ job, check }: DueProbe, now: number): boolean => job.slot + check.interval_seconds * 1000 <= now;

/** And never past half the interval, so that the retry ends before the next slot. */
const mayTryAgain = ({ job, check }: DueProbe, now: number): boolean =>
  now < job.slot + Math.min(UNCLEAR_MS, check.interval_seconds * 500);

/** Where a check goes; undefined: to the resolver of this machine. */
const hostOf = (check: CheckItem): string | undefined => checkTypeOf(check.check_type).hosts(check)[0]?.host;

/** Undefined when our own stall may be why it failed: its slot stays a gap. */
async function probeOnce(ports: Ports, { job, check, account }: DueProbe): Promise<Probe | undefined> {
  const type = checkTypeOf(check.check_type);
  const started_at = ports.clock.now();
  // A probe never outlives its interval (docs/CONTRACT.md#probes).
  const timeout_ms = Math.min(check.timeout_ms, check.interval_seconds * 1000);
  const settings = boundTo(ports.settings, account);
  const before = ports.clock.stalled();
  const outcome = await type.probe?.(check, { net: ports.net, settings, timeout_ms, now: started_at });
  const stalled_ms = ports.clock.stalled() - before;
  if (outcome && isOwnStall(outcome, timeout_ms, stalled_ms)) {
    const { tenant_id, check_id, slot } = job;
    const { error_message } = outcome;
    ports.log.warn('this process stood still, so a probe is not recorded', {
      tenant_id,
      check_id,
      slot,
      stalled_ms,
      error_message,
    });
    return undefined;
  }
  return outcome && { check, slot: job.slot, started_at, outcome, retention_days: account.retention_days };
}
