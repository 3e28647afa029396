import type { DeadlineNote } from '#lib/alerting/notes.ts';
import type { Policy } from '#lib/alerting/policy/policy.ts';
import type { CheckState } from '#lib/catalog/states.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';

// What is announced without relations, windows, silences and escalation, stated once more and for itself.

type Alerts = CheckItem['alerts'];
type Change = { cause: string; from: CheckState; to: CheckState; at: number };

const believedOf = (state: CheckState, policy: Policy) =>
  state === 'degraded' && !policy.notify_on_degraded ? 'up' : state;

const toldOf = ({ announced }: Alerts) => announced?.inFlight.at(-1)?.announces ?? announced?.baseline ?? 'up';

const isWarning = (from: string, to: string) =>
  (from === 'degraded' || to === 'degraded') && from !== 'down' && to !== 'down';

/** A time that a clock noted which ran ahead counts for nothing. */
const noted = (time: number | undefined, now: number) => (time === undefined || time > now + 10_000 ? 0 : time);

export function freeAt(alerts: Alerts, policy: Policy, from: string, to: string, now: number): number {
  const paged = noted(alerts.last_planned_at, now);
  const last = isWarning(from, to) ? Math.max(paged, noted(alerts.last_warned_at, now)) : paged;
  return last + policy.cooldown_seconds * 1000;
}

/** Why a change is announced to nobody; null when it is announced. @param alerts with this change counted */
export function silentBefore({ cause, from, to, at }: Change, alerts: Alerts, policy: Policy): string | null {
  const [was, is] = [believedOf(from, policy), believedOf(to, policy)];
  if (cause !== 'result' && cause !== 'silence') return 'configuration';
  if (policy.silenced) return 'silenced';
  if (was === 'unknown' && is === 'up' && toldOf(alerts) === 'up') return 'initial';
  if (was === is) return 'degraded_off';
  if (is === 'up' && !policy.notify_on_recovery) return 'recovery_off';
  if (alerts.flapping?.told) return 'flapping';
  if (at < freeAt(alerts, policy, was, is, at)) return 'cooldown';
  return policy.channels.length === 0 ? 'no_channels' : null;
}

/** What was remembered of the cooldown after a change. */
export function cooldownBefore({ from, to, at }: Change, alerts: Alerts, policy: Policy, reason: string | null) {
  const { last_planned_at, last_warned_at } = alerts;
  if (reason !== null) return { last_planned_at, last_warned_at };
  return isWarning(believedOf(from, policy), believedOf(to, policy))
    ? { last_planned_at, last_warned_at: at }
    : { last_planned_at: at, last_warned_at };
}

export type Look = { told?: { kind: string; announces: string; warns: boolean | null }; again?: number };

/** A look of the catch-up: what is told, and when it is looked at again. */
export function catchUpBefore(check: CheckItem, policy: Policy, note: DeadlineNote | undefined, now: number): Look {
  if (policy.silenced || policy.channels.length === 0) return {};
  const told = toldOf(check.alerts);
  const misled = note?.misled === true;
  const isUrgent = note?.failed_at !== undefined || misled;
  if (!check.enabled) {
    const isDue = told !== 'up' && (policy.catch_up || note?.closing === true);
    return isDue ? { told: { kind: 'closed', announces: 'up', warns: null } } : {};
  }
  if (!policy.catch_up || check.state === 'unknown') return {};
  const { flapping, changed_at = [] } = check.alerts;
  const wasTold = policy.flap_threshold > 0 && flapping?.told === true;
  const flaps = wasTold && now < flapping.until && noted(changed_at.at(-1), now) > 0;
  const calm = flaps ? { again: flapping.until } : {};
  if (flaps && !isUrgent) return calm;
  const announces = believedOf(check.state, policy);
  const isDue = announces !== told || misled || (wasTold && !flaps);
  if (!isDue || (announces === 'up' && !policy.notify_on_recovery)) return calm;
  const free = freeAt(check.alerts, policy, told, announces, now);
  if (!isUrgent && now < free) return { again: free };
  return { told: { kind: 'catch_up', announces, warns: isWarning(told, announces) }, ...calm };
}

/** A look of the repeats. */
export function repeatBefore(check: CheckItem, policy: Policy, now: number): Look {
  const interval = policy.repeat_interval_seconds * 1000;
  if (check.state !== 'down' || interval === 0) return {};
  let again = Date.parse(check.state_since);
  while (again <= now) again += interval;
  if (policy.silenced || policy.channels.length === 0) return { again };
  return { told: { kind: 'repeat', announces: 'down', warns: null }, again };
}
