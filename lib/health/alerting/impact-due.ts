import type { Policy } from '#lib/alerting/policy/policy.ts';
import type { EntityItem } from '#lib/catalog/entity-item.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import type { Keys } from '#lib/keys.ts';
import type { DueDeadline } from '#lib/messages.ts';
import type { Write } from '#lib/platform/ports.ts';
import { dueDeadline } from '#lib/schedule/deadlines.ts';
import { deadlineEntry } from '#lib/schedule/entries.ts';

/** So long (ms) after an alert of what others depend on, those who got it are told if more fails with it by then. */
const UPDATE_AFTER_MS = 60_000;

type Told = {
  check: Pick<CheckItem, 'tenant_id' | 'entity_id' | 'id'>;
  entity: Pick<EntityItem, 'dependents'>;
  policy: Pick<Policy, 'impact_update'>;
  /** Epoch ms of the alert. */
  now: number;
};

/** The deadline of that update; none where nothing depends on the entity. The check must be written beside it. */
export function impactDue(
  keys: Keys,
  token: string,
  { check, entity, policy, now }: Told,
): { writes: Write[]; deadlines: DueDeadline[] } {
  if (entity.dependents === 0 || !policy.impact_update) return { writes: [], deadlines: [] };
  const at = now + UPDATE_AFTER_MS;
  return {
    writes: [{ put: deadlineEntry(keys, 'impact', check, token, at) }],
    deadlines: [dueDeadline('impact', check, at)],
  };
}
