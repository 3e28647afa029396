import { isAlert } from '#lib/alerting/decide/alert-item.ts';
import type { DeadlineEntry, HeldAlert } from '#lib/alerting/decide/notes.ts';
import type { StoredRelation } from '#lib/catalog/relations/relation.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import type { Owner } from '#lib/schedule/entries.ts';
import { type HeldNow, toldOf } from './alert-rules.ts';
import { type Change, type Commit, isCheckKey } from './inside.ts';
import { placeOf } from './seen-notifications.ts';

/** Relations that carry failure, as commits make and delete them. */
export function relationsSeen() {
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
    /** Those that start at an entity. */
    from: (entity: string): StoredRelation[] =>
      [...relations.values()].filter(({ from_entity_id }) => from_entity_id === entity),
  };
}

/** The deadline of a held alert of a check, as a change leaves it. */
export const holdIn = ({ key, before, after }: Change) => {
  if (!key.pk.startsWith('SCHEDULE#') || !key.sk.startsWith('hold#')) return undefined;
  const [was, is] = [before, after] as ((DeadlineEntry & Owner) | undefined)[];
  const owner = is ?? was;
  return owner && { check_id: owner.id, before: was, after: is };
};

type Held = { name: string; held: HeldAlert; told: Set<string>; knew: boolean };

const hadTrouble = (check: CheckItem | undefined): boolean => check !== undefined && toldOf(check) !== 'up';

/** Nobody has heard of it: what depends on it waits for what it comes to. */
const isUntold = (hold: Held | undefined): boolean =>
  hold !== undefined &&
  hold.told.size === 0 &&
  (hold.held.reason !== 'maintenance' || hold.held.window?.include_dependents === true);

/** Alerts that are held, as commits begin and end that, and who was told of the failure all the same. */
export function holdsSeen() {
  const holds = new Map<string, Held>();
  /** Until when nobody had been told of what is held, by check; without an end while it is so. */
  const untold = new Map<string, number>();
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
              : { name, held, told: new Set(), knew: hadTrouble(checks.get(hold.check_id)) },
          );
        }
      }
      for (const { key, before, after } of commit.changes) {
        if (isCheckKey(key) && after) checks.set((after as CheckItem).id, after as CheckItem);
        if (before || !after || !isAlert(after)) continue;
        const { kind, check_id, transition_sk, to } = after;
        const hold = holds.get(check_id);
        const isOwn = hold?.held.transition_sk === transition_sk && (kind === 'state_change' || kind === 'late');
        if (isOwn) for (const target of to) hold.told.add(placeOf(target));
      }
      for (const [id, hold] of holds) if (isUntold(hold)) untold.set(id, Number.POSITIVE_INFINITY);
      for (const [id, until] of untold) if (until > commit.at && !isUntold(holds.get(id))) untold.set(id, commit.at);
    },
    /** Whether the alert of a check was held at some time since then, and told to nobody yet. */
    wasUntold: (id: string, since: number): boolean => (untold.get(id) ?? Number.NEGATIVE_INFINITY) >= since,
    of: ({ id, alerts: { escalated = [] } }: CheckItem): HeldNow | undefined => {
      const hold = holds.get(id);
      if (!hold) return undefined;
      const { held, told, knew } = hold;
      return { reason: held.reason, knew, told: new Set([...told, ...(told.size > 0 ? escalated : [])]) };
    },
  };
}
