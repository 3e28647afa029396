import type { HoldReason } from '#lib/alerting/decide/rules.ts';
import type { CheckState } from '#lib/catalog/states.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import type { TransitionItem } from '#lib/checks/state/transition.ts';
import type { InForce } from './in-force.ts';

/** Who is told what and when, once more from docs/use/alerts.md#decisions. */

/**
 * What whoever read the check's alerts believes: the last that did not fail; none yet counts as up; uncertain where so
 * many failed at once that the check no longer remembers.
 */
export const toldOf = ({ alerts: { announced: told } }: CheckItem): CheckState =>
  told?.inFlight.at(-1)?.reports_state ?? told?.baseline ?? 'up';

/** What they are to believe. */
export const shownBy = (policy: Pick<InForce, 'notify_on_degraded'>, state: CheckState): CheckState =>
  state === 'degraded' && !policy.notify_on_degraded ? 'up' : state;

type Changed = Pick<TransitionItem, 'cause' | 'check_from_state' | 'check_to_state'>;

/** A change that is told as a warning: it has nothing to do with down. */
export function isWarning({ check_from_state, check_to_state }: Changed, policy: InForce): boolean {
  const sides = [check_from_state, check_to_state].map((state) => shownBy(policy, state));
  return sides.includes('degraded') && !sides.includes('down');
}

type Flaps = Pick<CheckItem['alerts'], 'changed_at' | 'flapping'>;

/**
 * What is remembered of flapping when a change was decided; a first state does not count, nor a change that nobody
 * is to notice.
 */
export function flapsAfter({ changed_at = [], flapping }: Flaps, one: Changed, at: number, policy: InForce): Flaps {
  const most = policy.flap_threshold;
  if (one.cause.startsWith('check_')) return {};
  const isFirst = one.check_from_state === 'unknown';
  if (isFirst || shownBy(policy, one.check_from_state) === shownBy(policy, one.check_to_state))
    return { ...(changed_at.length > 0 && { changed_at }), ...(flapping && { flapping }) };
  if (most === 0) return {};
  const window = policy.flap_window_seconds * 1000;
  const isCalm = flapping !== undefined && at >= flapping.until;
  const before = isCalm ? [] : changed_at;
  const within = [...before, at].filter((time) => at - time < window).slice(-most);
  const until = at + window / 4;
  if (flapping && !isCalm) return { changed_at: within, flapping: { ...flapping, until } };
  return within.length < most ? { changed_at: within } : { changed_at: within, flapping: { since: at, until } };
}

/** What an alert says of a check that is to be believed so. */
export const saidAs = (state: CheckState): string => (state === 'unknown' ? 'up' : state);

/**
 * An alert of a check that is held: by a window, or until its cause is known. `told`: where it was
 * heard of all the same, and channels that were called.
 */
export type HeldNow = {
  reason: HoldReason;
  told: ReadonlySet<string>;
  /** All had been told of trouble before, so that all are to hear that it is over. */
  knew: boolean;
};

/** Reasons for which alerts of simulated lives are held. */
export const HOLDS: readonly string[] = ['dependency', 'maintenance'] satisfies HoldReason[];

/** Whether an alert that is not sent for a reason is decided later. */
export function isHeldFor(reason: string | null, one: Changed, before: CheckItem, policy: InForce): boolean {
  const says = saidAs(shownBy(policy, one.check_to_state));
  if (reason === 'dependency') return one.check_to_state === 'down';
  return reason !== null && HOLDS.includes(reason) && says !== 'up' && says !== toldOf(before);
}

/** What a decision goes by. `needs`: so many relations of its entity carry failure. */
export type Given = { policy: InForce; held: HeldNow | undefined; needs: number };

/**
 * Whom a change goes to, or its closing note: where its failure was held, a recovery to those alone who heard of it.
 */
export const toldWhom = (says: string, { policy, held }: Given): string[] => {
  const isNarrow = says === 'up' && held?.reason === 'dependency' && !held.knew;
  const all = policy.places(says);
  return all.filter(({ id, place }) => !isNarrow || held.told.has(place) || held.told.has(id)).map(({ id }) => id);
};

/**
 * Why a transition is told to nobody, or not yet; null when it is told.
 * @param flaps with this change counted
 */
export function silentBecause(one: Changed, at: number, check: CheckItem, flaps: Flaps, given: Given): string | null {
  const { policy, held, needs } = given;
  const [from, to] = [shownBy(policy, one.check_from_state), shownBy(policy, one.check_to_state)];
  if (one.cause.startsWith('check_')) return 'configuration';
  if (policy.silenced) return 'silenced';
  if (from === 'unknown' && to === 'up' && toldOf(check) === 'up') return 'initial';
  if (from === to) return 'degraded_disabled';
  if (to === 'up' && !policy.notify_on_recovery) return 'recovery_disabled';
  if (flaps.flapping?.told) return 'flapping';
  const cooldown = policy.cooldown_seconds * 1000;
  const { last_planned_at: paged, last_warned_at: warned } = check.alerts;
  const runs = (last: number | undefined) => last !== undefined && at - last < cooldown;
  if (runs(paged) || (isWarning(one, policy) && runs(warned))) return 'cooldown';
  const says = saidAs(to);
  const whom = toldWhom(says, given);
  const isHeard = whom.length > 0 || (says === 'down' && policy.calls);
  const isSought = held?.reason === 'dependency';
  if (isSought && says === 'up' && whom.length === 0) return 'dependency';
  const mayFollow = one.check_to_state === 'down' && needs > 0 && policy.hold_for_dependencies && !policy.window;
  if (mayFollow && !isSought && isHeard) return 'dependency';
  if (!isHeard) return 'no_channels';
  const isPlanned = policy.window || held?.reason === 'maintenance';
  if (says === 'up') return isPlanned && toldOf(check) === 'up' ? 'maintenance' : null;
  if (policy.window) return 'maintenance';
  return whom.length > 0 ? null : 'no_channels';
}
