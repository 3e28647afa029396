import { isDeepStrictEqual } from 'node:util';
import { resultExpiry } from '#lib/access/retention.ts';
import type { CheckState } from '#lib/catalog/states.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import { outcomeOf, type ProbeOutcome, reasonOf } from '#lib/checks/outcome.ts';
import { applyResult } from '#lib/checks/state/apply-result.ts';
import { isSameState, isUnconfirmed, nextState } from '#lib/checks/state/next-state.ts';
import type { StateEnv } from '#lib/checks/state/on-change.ts';
import { checkTypeOf, type ErrorKind } from '#lib/checks/types/registry.ts';
import type { Env } from '#lib/env.ts';
import { type Keys, numberOf } from '#lib/keys.ts';
import type { Job } from '#lib/messages.ts';
import { pick } from '#lib/platform/plain-data.ts';
import type { Write } from '#lib/platform/ports.ts';
import { commit, oneAtATime, RETRY, retryOnConflict } from '#lib/platform/table/retry.ts';
import { iso } from '#lib/platform/time.ts';
import { entryOf, PACK_MS, type PackedEntry, type PackItem, packOf } from '#lib/results/pack.ts';
import { isSlow } from '#lib/results/probe/lanes.ts';
import { type ResultItem, withLatency } from '#lib/results/result.ts';
import { cellOfCheck, changedBy, reviseRollups } from '#lib/results/revise-rollups.ts';
import { sendDeadlines } from '#lib/schedule/jobs.ts';
import { isRetryDue, sendRetry } from './retries.ts';

/** Probe that has ended, to be recorded. */
export type Probe = {
  check: CheckItem;
  /** Epoch ms; part of the key of the result, with the settings revision. */
  slot: number;
  started_at: number;
  outcome: ProbeOutcome<ErrorKind>;
  retention_days: number;
  /** Manual run, without a slot; `slot` is its order among the results. */
  manual?: {
    token: string;
    /** Returns writes of the same transaction. */
    auditWrites(check: CheckItem, result: ResultItem): Write[];
  };
  /** Retry between slots of an unconfirmed check; `slot` is its instant. Epoch ms. */
  retry?: { next_slot: number };
};

/** `repeated`: the slot was recorded before; `history`: stored but not applied, because the settings have changed. */
type Recorded = 'recorded' | 'repeated' | 'history' | 'dropped';

/** Recorded result. `changed`: state or counter changed; `dropped`: check deleted, or retry not useful any more. */
type RecordedProbe =
  | { is: Exclude<Recorded, 'dropped'>; result: ResultItem; state: CheckState; changed?: boolean }
  | { is: 'dropped' };

const propertiesOf = ({ check, outcome }: Probe): Record<string, unknown> =>
  pick(checkTypeOf(check.check_type).result, outcome);

export type Effect = {
  next: ReturnType<typeof nextState>;
  also: Pick<CheckItem, 'slow' | 'noted'>;
  is_quiet: boolean;
};

export function effectOf(probe: Probe, check = probe.check): Effect {
  const next = nextState(check, outcomeOf(probe.outcome));
  const also = changedProperties(probe, check);
  return { next, also, is_quiet: isSameState(next, check) && Object.keys(also).length === 0 };
}

function changedProperties(probe: Probe, check: CheckItem): Pick<CheckItem, 'slow' | 'noted'> {
  const slow = isSlow(probe.outcome, check.interval_seconds);
  const noted = propertiesOf(probe);
  return {
    ...(slow !== (check.slow ?? false) && { slow }),
    ...(!isDeepStrictEqual(noted, check.noted ?? {}) && { noted }),
  };
}

/** Whether a probe is the first after a change of settings; the time of the change then orders it, not its slot. */
const isFirstProbe = ({ check, slot, retry }: Probe): boolean =>
  !retry && slot < check.settings_at && check.settings_at < slot + check.interval_seconds * 1000;

/** Records a single result once, in one transaction with its effects. A quiet result belongs in a pack instead. */
export const recordProbe = async (env: StateEnv, probe: Probe, effect = effectOf(probe)): Promise<Recorded> =>
  (await recordProbeResult(env, probe, effect)).is;

export async function recordProbeResult(env: StateEnv, probe: Probe, effect = effectOf(probe)): Promise<RecordedProbe> {
  const { ports, keys } = env;
  const result = resultOf(keys, probe);
  return oneAtATime(ports.table, probe.check.entity_id, () =>
    retryOnConflict<RecordedProbe>(ports, async (attempt) => {
      const check =
        attempt === 0
          ? probe.check
          : await ports.table.get<CheckItem>(keys.check(probe.check.tenant_id, probe.check.id));
      if (!check || isOutdated(probe, check, ports.clock.now())) return { is: 'dropped' };
      const auditWrites = probe.manual?.auditWrites(check, result) ?? [];
      if (check.rev !== probe.check.rev) {
        const old: ResultItem = { ...result, record_only: true };
        await reviseRollups(env, cellOfCheck(check), { from: probe.slot, to: probe.slot });
        const kept = await ports.table.transact([{ put: old, if: 'absent' }, ...auditWrites]);
        if (!kept.ok && kept.conflict) return RETRY;
        return { is: kept.ok ? 'history' : 'repeated', result: old, state: check.state };
      }
      const outcome = outcomeOf(probe.outcome);
      const { retention_days } = probe;
      const single = check.single !== undefined && check.single > result.sk ? check.single : result.sk;
      const { next, also } = check === probe.check ? effect : effectOf(probe, check);
      const changes = await applyResult(env, check, {
        ...{ outcome, next },
        ran_at: probe.started_at,
        reason: withLatency(reasonOf(probe.outcome), probe.outcome),
        cause: 'result',
        retention_days,
        also: { ...also, single },
      });
      if (!changes) return { is: 'dropped' };
      const changed = changedBy(check, { outcome, at: probe.slot, now: ports.clock.now() });
      await reviseRollups(env, cellOfCheck(check), changed);
      const done = await commit(ports, [{ put: result, if: 'absent' }, ...changes.writes, ...auditWrites]);
      if (!done.ok) return done.failed.includes(0) ? { is: 'repeated', result, state: check.state } : RETRY;
      await sendDeadlines(env, changes.deadlines);
      if (isUnconfirmed({ ...check, ...next })) await sendRetry(env, check, probe.slot);
      return { is: 'recorded', result, state: next.state, changed: !isSameState(next, check) };
    }),
  );
}

const isOutdated = ({ retry, check: { rev } }: Probe, check: CheckItem, now: number): boolean =>
  retry !== undefined && !isRetryDue(check, rev, retry.next_slot, now);

function resultOf(keys: Keys, probe: Probe): ResultItem {
  const { check, slot, started_at, outcome, retention_days, manual, retry } = probe;
  const noted = propertiesOf(probe);
  const at = isFirstProbe(probe) ? check.settings_at : slot;
  return {
    ...keys.result(check.tenant_id, check.id, at, manual ? `M${manual.token}` : String(check.rev)),
    expires_at: resultExpiry(at, retention_days),
    status_code: outcome.status_code,
    latency_ms: outcome.latency_ms,
    success: outcome.success,
    error_message: outcome.error_message,
    error_kind: outcome.error_kind,
    ...(outcome.warning_message && { warning_message: outcome.warning_message }),
    checked_at: iso(started_at),
    ...(manual && { kind: 'manual' as const }),
    ...(retry && { kind: 'retry' as const }),
    ...(Object.keys(noted).length > 0 && { noted }),
  };
}

type PackWriter = {
  add(entry: PackedEntry): void;
  /** Writes the waiting entries. On failure it throws, and `waiting` returns them. */
  end(): Promise<void>;
  waiting(): PackedEntry[];
};

/** Whether an outcome belongs in the pack of its slot. */
export const belongsInPack = (probe: Probe, { is_quiet } = effectOf(probe)): boolean =>
  !probe.retry && is_quiet && !isFirstProbe(probe);

export const entryOfProbe = ({ check, slot, started_at, outcome }: Probe): PackedEntry => ({
  number: numberOf(check.id),
  begin: started_at - slot,
  latency_ms: outcome.latency_ms,
  status_code: outcome.status_code,
  rev: check.rev,
  success: outcome.success,
  ...(!outcome.success && { error: { kind: outcome.error_kind, message: outcome.error_message } }),
  ...(outcome.warning_message && { warning_message: outcome.warning_message }),
});

/**
 * Opens the pack of a job. Entries are written two seconds after the first of them was added, or at the end. After
 * `signal` is aborted, nothing is written: the function timed out, and its successor repeats the job.
 */
export function openPack(env: Env, job: Job, retentionDays: number, signal?: AbortSignal): PackWriter {
  const { ports } = env;
  let waiting: PackedEntry[] = [];
  let isScheduled = false;
  let written: Promise<void> = Promise.resolve();

  const write = (): Promise<void> => {
    written = written
      .catch(() => {})
      .then(async () => {
        const entries = waiting;
        if (entries.length === 0 || signal?.aborted) return;
        waiting = [];
        try {
          await writePacks(env, job, entries, resultExpiry(job.slot, retentionDays));
        } catch (error) {
          waiting = [...entries, ...waiting];
          throw error;
        }
      });
    return written;
  };
  const writeLater = async (): Promise<void> => {
    await ports.clock.sleep(PACK_MS);
    isScheduled = false;
    // On failure, the end of the job retries and reports it.
    await write().catch(() => {});
  };
  return {
    add(entry) {
      waiting.push(entry);
      if (isScheduled) return;
      isScheduled = true;
      void writeLater();
    },
    end: write,
    waiting: () => waiting,
  };
}

/** Writes entries as the next part of the slot, except checks of an earlier part, unless a result replaces a gap. */
async function writePacks(env: Env, job: Job, all: PackedEntry[], expires_at: number): Promise<void> {
  const { ports, keys } = env;
  const { tenant_id, cell, interval_seconds, slot } = job;
  await reviseRollups(env, job, { from: slot, to: slot });
  let entries = all;
  for (let part = 1; entries.length > 0; part++) {
    const put: PackItem = {
      ...keys.pack(tenant_id, cell, interval_seconds, slot, part),
      expires_at,
      ...packOf(entries),
    };
    const present = await retryOnConflict(ports, async () => {
      const outcome = await ports.table.transact([{ put, if: 'absent' }]);
      if (outcome.ok) return undefined;
      return outcome.conflict ? RETRY : (outcome.present[0] as PackItem);
    });
    if (!present) return;
    entries = entries.filter((entry) => {
      const known = entryOf(present, entry.number);
      return !known || (known.gap !== undefined && entry.gap === undefined);
    });
  }
}
