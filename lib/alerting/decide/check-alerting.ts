import type { DeadlineEntry } from '#lib/alerting/decide/notes.ts';
import { type AccountAlerting, type AlertingHead, alertingOf } from '#lib/alerting/policy/account-alerting.ts';
import { effectivePolicy } from '#lib/alerting/policy/effective-policy.ts';
import { type Policy, type PolicyItem, policyAsRead } from '#lib/alerting/policy/policy.ts';
import type { EntityItem } from '#lib/catalog/entity.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import type { Env } from '#lib/env.ts';
import type { DueDeadline } from '#lib/messages.ts';
import type { Write } from '#lib/platform/ports.ts';
import { readSome } from '#lib/platform/table/pages.ts';
import type { Owner } from '#lib/schedule/entries.ts';
import type { NotifiedFailureItem } from './notified-failure.ts';

/** The deadlines of alerting. */
export type AlertDeadline = Exclude<DueDeadline['kind'], 'missed_heartbeat'>;

type Wanted = {
  /** The check, if it was read before. */
  check?: CheckItem;
  deadlines?: readonly AlertDeadline[];
  /** Whether to read the notified failure of its entity. */
  incident?: true;
};

type Read = {
  owner: Owner;
  /** Undefined if it was deleted. */
  check: CheckItem | undefined;
  /** The stored policy; undefined if nothing is set on the check. */
  stored: PolicyItem | undefined;
  /** The failure of its entity that others depend on, the present or the last one. */
  incident: NotifiedFailureItem | undefined;
  deadlines: { readonly [kind in AlertDeadline]?: DeadlineEntry | undefined };
  /** Condition that holds a transaction to the policy as read. */
  policyAsRead: Write;
  /** Epoch ms. */
  now: number;
};

/** What alerting knows of a check whose entity is there. */
export type Found = Read & { entity: EntityItem; account: AccountAlerting; policy: Policy };

/** What alerting knows of a check at one moment; without entity, account and policy if the entity is gone. */
export type CheckAlerting = Found | (Read & { entity: undefined; account: undefined; policy: undefined });

/** Reads what alerting knows of a check: one strong read, and one more of an account whose settings have changed. */
export async function readCheckAlerting(
  { ports, keys }: Env<'table' | 'clock'>,
  owner: Owner,
  { check: known, deadlines: kinds = [], incident: withIncident }: Wanted = {},
): Promise<CheckAlerting> {
  const { tenant_id, entity_id, id } = owner;
  const [entity, stored, head, check, incident, ...entries] = await readSome<
    [EntityItem, PolicyItem, AlertingHead, CheckItem, NotifiedFailureItem, ...DeadlineEntry[]]
  >(ports.table, [
    keys.entity(tenant_id, entity_id),
    keys.policy(tenant_id, id),
    keys.alertingHead(tenant_id),
    known ? undefined : keys.check(tenant_id, id),
    withIncident && keys.notifiedFailure(tenant_id, entity_id),
    ...kinds.map((kind) => keys.entry(kind, tenant_id, id)),
  ]);
  const now = ports.clock.now();
  const read = {
    ...{ owner, check: known ?? check, stored, incident, now },
    deadlines: Object.fromEntries(kinds.map((kind, i) => [kind, entries[i]])),
    policyAsRead: policyAsRead(keys, { tenant_id, id }, stored),
  };
  if (!entity) return { ...read, entity, account: undefined, policy: undefined };
  const account = await alertingOf({ ports, keys }, tenant_id, head);
  const policy = effectivePolicy(stored, { check: read.check ?? { id }, entity, account, now });
  return { ...read, entity, account, policy };
}
