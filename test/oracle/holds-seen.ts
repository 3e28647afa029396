import { isAlert } from '#lib/alerting/decide/alert-item.ts';
import type { DeadlineEntry, HeldAlert } from '#lib/alerting/decide/notes.ts';
import type { StoredRelation } from '#lib/catalog/relations/relation.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import type { Owner } from '#lib/schedule/entries.ts';
import { type HeldAlertState, lastNotifiedState } from './alert-rules.ts';
import { type Change, type Commit, isCheckKey } from './inside.ts';
import { destinationOf } from './seen-notifications.ts';

/** Tracks relations that propagate failure, as commits create and delete them. */
export function trackRelations() {
  const relations = new Map<string, StoredRelation>();
  return {
    take: ({ changes }: Commit): void => {
      for (const { key, after } of changes) {
        if (!key.pk.includes('#RELATIONS#')) continue;
        const relation = after as unknown as StoredRelation | undefined;
        if (relation?.propagates_failure) relations.set(key.sk, relation);
        else relations.delete(key.sk);
      }
    },
    /** Returns the relations that start at an entity. */
    from: (entity: string): StoredRelation[] =>
      [...relations.values()].filter(({ from_entity_id }) => from_entity_id === entity),
  };
}

/** Returns the deadline of a held alert, before and after a change; undefined for changes of other items. */
export const holdIn = ({ key, before, after }: Change) => {
  if (!key.pk.startsWith('SCHEDULE#') || !key.sk.startsWith('hold#')) return undefined;
  const [was, is] = [before, after] as ((DeadlineEntry & Owner) | undefined)[];
  const owner = is ?? was;
  return owner && { check_id: owner.id, before: was, after: is };
};

type Held = { name: string; held: HeldAlert; notified: Set<string>; knew: boolean };

const hadReportedProblem = (check: CheckItem | undefined): boolean =>
  check !== undefined && lastNotifiedState(check) !== 'up';

/**
 * Whether alerts of dependents wait for this held alert: no recipient was notified, and if it is held by a maintenance
 * window, the window includes dependents.
 */
const isUnnotified = (hold: Held | undefined): boolean =>
  hold !== undefined &&
  hold.notified.size === 0 &&
  (hold.held.reason !== 'maintenance' || hold.held.window?.include_dependents === true);

/** Tracks held alerts, as commits start and end them, and recipients that were notified of the failure nevertheless. */
export function trackHolds() {
  const holds = new Map<string, Held>();
  /** Time until which no recipient of a held alert had been notified, by check; Infinity while that is so. */
  const unnotified = new Map<string, number>();
  const checks = new Map<string, CheckItem>();
  return {
    take: (commit: Commit): void => {
      for (const change of commit.changes) {
        const hold = holdIn(change);
        const held = hold?.after?.note?.held;
        if (!hold) continue;
        if (!held) holds.delete(hold.check_id);
        else {
          const name = `${held.transition_sk} ${held.reason} ${held.kind}`;
          const known = holds.get(hold.check_id);
          holds.set(
            hold.check_id,
            known?.name === name
              ? { ...known, held }
              : { name, held, notified: new Set(), knew: hadReportedProblem(checks.get(hold.check_id)) },
          );
        }
      }
      for (const { key, before, after } of commit.changes) {
        if (isCheckKey(key) && after) checks.set((after as CheckItem).id, after as CheckItem);
        if (before || !after || !isAlert(after)) continue;
        const { kind, check_id, transition_sk, to } = after;
        const hold = holds.get(check_id);
        const isOwn = hold?.held.transition_sk === transition_sk && (kind === 'state_change' || kind === 'late');
        if (isOwn) for (const target of to) hold.notified.add(destinationOf(target));
      }
      for (const [id, hold] of holds) if (isUnnotified(hold)) unnotified.set(id, Number.POSITIVE_INFINITY);
      for (const [id, until] of unnotified)
        if (until > commit.at && !isUnnotified(holds.get(id))) unnotified.set(id, commit.at);
    },
    /** Whether the alert of a check was held without a notified recipient at some time since `since`. */
    wasUnnotified: (id: string, since: number): boolean => (unnotified.get(id) ?? Number.NEGATIVE_INFINITY) >= since,
    of: ({ id, alerts: { escalated = [] } }: CheckItem): HeldAlertState | undefined => {
      const hold = holds.get(id);
      if (!hold) return undefined;
      const { held, notified, knew } = hold;
      return { reason: held.reason, knew, notified: new Set([...notified, ...(notified.size > 0 ? escalated : [])]) };
    },
  };
}
