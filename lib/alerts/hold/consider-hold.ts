import type { AccountItem } from '#lib/access/account.ts';
import type { TenantEnv } from '#lib/access/context.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import { isSilenced } from '#lib/checks/policy-item.ts';
import { destinationOf } from '#lib/health/alerting/listeners.ts';
import { type Ancestry, findCause, readAncestry } from '#lib/health/dependency/gather.ts';
import type { Dependent, Verdict } from '#lib/health/dependency/judge.ts';
import { LEAST_SETTLING_MS, type Look, look } from '#lib/health/dependency/look.ts';
import { silenceRules } from '#lib/health/silence/rules.ts';
import { cellOf, type Keys } from '#lib/keys.ts';
import { latestSlot, rhythmOf } from '#lib/schedule/slots.ts';
import { incidentsAt } from './incidents-at.ts';
import type { HeldAlert } from './look-at-held.ts';
import { dropHold, writeLook } from './write-look.ts';

/**
 * Decides about an alert that is held: whom to tell now, and who waits on. `asked`: somebody else asks what it follows
 * from, and the answer will be there in a moment.
 */
export async function considerHold(env: TenantEnv, account: AccountItem, held: HeldAlert) {
  const { ports, keys } = env;
  const { check, policy, channels } = held;
  const reason = isSilenced(policy) ? 'silenced' : channels.length === 0 ? 'no_channels' : undefined;
  if (reason) return dropHold(env, held, reason);
  const ancestry = await readAncestry(env, check.entity_id);
  const dependent = dependentOf(held);
  const sightOf = (verdict: Verdict): Look => look(sight(keys, held, ancestry, verdict, ports.clock.now()));
  const isKnown = (verdict: Verdict) =>
    verdict.explained && verdict.roots[0]!.confirmed && sightOf(verdict).tell.length === 0;
  const verdict = policy.hold_for_dependencies
    ? await findCause(env, account, ancestry, dependent, isKnown)
    : NOTHING_FOUND;
  if (!verdict.settled) return 'asked' as const;
  return writeLook(env, held, ancestry, verdict, sightOf(verdict));
}

const NOTHING_FOUND: Verdict = {
  ...{ explained: false, settled: true, truncated: false },
  ...{ roots: [], survived: [], way: [], ancestors: [] },
};

function dependentOf({ check, transition }: HeldAlert): Dependent {
  const failing_since = check.effective_at ?? Date.parse(check.state_since);
  const wasWell = transition.check_from_state === 'up' || transition.check_from_state === 'degraded';
  return {
    interval_seconds: check.interval_seconds,
    failing_since,
    up_since: wasWell ? Math.min(Date.parse(transition.check_from_since), failing_since) : failing_since,
  };
}

function sight(keys: Keys, held: HeldAlert, ancestry: Ancestry, verdict: Verdict, now: number) {
  const { check, policy, channels, hold } = held;
  const waiting = channels.filter(({ id }) => !hold.told.includes(id)).map(destinationOf);
  return {
    ...{ hold, verdict, waiting, now },
    incidents: incidentsAt(keys, held, ancestry, verdict, now),
    pending: pendingIn(ancestry),
    recoveries: recoveriesIn(ancestry, hold.held_at),
    down_at: Date.parse(check.state_since),
    cooldown_ms: policy.cooldown_seconds * 1000,
    settle_ms: settlingMs(check),
    judgedBy: (time: number) => judgedBy(check, time),
  };
}

/** Entities whose own alert is held. */
const pendingIn = ({ checks }: Ancestry): Set<string> =>
  new Set(
    [...checks].flatMap(([id, own]) => (own.some((check) => check.alerts.held && !check.alerts.held.told) ? [id] : [])),
  );

/** When each entity that has come up since then (epoch ms) was found to be well again, as far as its checks tell. */
const recoveriesIn = ({ checks }: Ancestry, since: number): Map<string, number> =>
  new Map(
    [...checks].flatMap(([id, own]) => {
      const well = own.filter(({ state, enabled }) => enabled && (state === 'up' || state === 'degraded'));
      const last = Math.max(...well.map((check) => Date.parse(check.state_since)));
      return last >= since ? [[id, last] as const] : [];
    }),
  );

/** How long a check takes to find out that all is well again: that of a push check is its grace. */
function settlingMs(check: CheckItem): number {
  if (check.execution_mode === 'push') return Math.max(LEAST_SETTLING_MS, silenceRules(check).grace);
  const runs = Math.max(check.failure_threshold, check.recovery_threshold);
  return Math.max(LEAST_SETTLING_MS, runs * check.interval_seconds * 1000 + check.timeout_ms);
}

/** When the first run at or after a time is over (epoch ms). */
function judgedBy(check: CheckItem, time: number): number {
  if (check.execution_mode === 'push') return time;
  const rhythm = rhythmOf(cellOf(check.id), check.interval_seconds);
  return latestSlot(rhythm, time - 1) + rhythm.interval_ms + check.timeout_ms;
}
