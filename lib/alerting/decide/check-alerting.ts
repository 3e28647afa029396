import type { DeadlineEntry } from '#lib/alerting/decide/notes.ts';
import { type AccountAlerting, type AlertingHead, alertingOf } from '#lib/alerting/policy/account-alerting.ts';
import { effectivePolicy } from '#lib/alerting/policy/effective-policy.ts';
import { type Policy, type PolicyItem, policyUnchanged } from '#lib/alerting/policy/policy.ts';
import type { EntityItem } from '#lib/catalog/entity.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import type { Env } from '#lib/env.ts';
import type { DueDeadline } from '#lib/messages.ts';
import type { Write } from '#lib/platform/ports.ts';
import { readDefined } from '#lib/platform/table/pages.ts';
import type { Owner } from '#lib/schedule/entries.ts';
import type { NotifiedFailureItem } from './notified-failure.ts';

export type AlertDeadlineKind = Exclude<DueDeadline['kind'], 'missed_heartbeat'>;

type Wanted = {
  check?: CheckItem;
  deadlines?: readonly AlertDeadlineKind[];
  notifiedFailure?: true;
};

type Read = {
  owner: Owner;
  /** undefined if deleted. */
  check: CheckItem | undefined;
  /** The stored policy; undefined if nothing is set on the check. */
  stored: PolicyItem | undefined;
  /** The notified failure of its entity, the present or the last one. */
  notifiedFailure: NotifiedFailureItem | undefined;
  deadlines: { readonly [kind in AlertDeadlineKind]?: DeadlineEntry | undefined };
  policyUnchanged: Write;
  now: number;
};

export type Found = Read & { entity: EntityItem; account: AccountAlerting; policy: Policy };

/** The alerting data of a check; without entity, account and policy if the entity was deleted. */
export type CheckAlerting = Found | (Read & { entity: undefined; account: undefined; policy: undefined });

/** Reads the alerting data of a check: one strong read, two if the cached settings of the account are outdated. */
export async function readCheckAlerting(
  { ports, keys }: Env<'table' | 'clock'>,
  owner: Owner,
  { check: known, deadlines: kinds = [], notifiedFailure: withFailure }: Wanted = {},
): Promise<CheckAlerting> {
  const { tenant_id, entity_id, id } = owner;
  const [entity, stored, head, check, notifiedFailure, ...entries] = await readDefined<
    [EntityItem, PolicyItem, AlertingHead, CheckItem, NotifiedFailureItem, ...DeadlineEntry[]]
  >(ports.table, [
    keys.entity(tenant_id, entity_id),
    keys.policy(tenant_id, id),
    keys.alertingHead(tenant_id),
    known ? undefined : keys.check(tenant_id, id),
    withFailure && keys.notifiedFailure(tenant_id, entity_id),
    ...kinds.map((kind) => keys.entry(kind, tenant_id, id)),
  ]);
  const now = ports.clock.now();
  const read = {
    ...{ owner, check: known ?? check, stored, notifiedFailure, now },
    deadlines: Object.fromEntries(kinds.map((kind, i) => [kind, entries[i]])),
    policyUnchanged: policyUnchanged(keys, { tenant_id, id }, stored),
  };
  if (!entity) return { ...read, entity, account: undefined, policy: undefined };
  const account = await alertingOf({ ports, keys }, tenant_id, head);
  const policy = effectivePolicy(stored, { check: read.check ?? { id }, entity, account, now });
  return { ...read, entity, account, policy };
}
