import type { IncidentItem } from '#lib/alerting/decide/notified-failure.ts';
import { type Pages, readPages } from '#lib/alerting/decide/page-budget.ts';
import { destinationOf } from '#lib/alerting/decide/recipients.ts';
import { type AlertingHead, alertingOf } from '#lib/alerting/policy/account-alerting.ts';
import { channelsThatApply, effectivePolicy } from '#lib/alerting/policy/effective-policy.ts';
import type { Policy, PolicyItem } from '#lib/alerting/policy/policy.ts';
import type { EntityItem } from '#lib/catalog/entity-item.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import type { TransitionItem } from '#lib/checks/state/transition.ts';
import type { Env } from '#lib/env.ts';
import type { DeadlineEntry } from '#lib/schedule/deadlines.ts';

/** What a state change is decided on, read strongly; the writes hold it to these versions. */
export type Basis = {
  entity: EntityItem;
  policy: Policy;
  /** What is set on the check itself; absent where nothing is. */
  storedPolicy?: Pick<PolicyItem, 'v'>;
  deadlines: Partial<Record<AlertDeadline, DeadlineEntry>>;
  /** The failure of its entity that others depend on, the present or the last one. */
  incident?: IncidentItem | undefined;
  /** When its destinations were paged, where its entity has relations and it may go down. */
  pages?: Pages;
  /** The transition whose alert is held, if one is. */
  held?: TransitionItem | undefined;
};

/** The deadlines that begin and end with a change of state. */
const ALERT_DEADLINES = ['repeat', 'catch_up', 'hold'] as const;
export type AlertDeadline = (typeof ALERT_DEADLINES)[number];

/** Reads what a change of a check's state touches; undefined when the entity is gone. */
export async function readBasis({ ports, keys }: Env, check: CheckItem): Promise<Basis | undefined> {
  const [entity, stored, head, incident, ...deadlines] = await ports.table.getMany<
    [EntityItem, PolicyItem, AlertingHead, IncidentItem, ...DeadlineEntry[]]
  >([
    keys.entity(check.tenant_id, check.entity_id),
    keys.policy(check.tenant_id, check.id),
    keys.alertingHead(check.tenant_id),
    keys.incident(check.tenant_id, check.entity_id),
    ...ALERT_DEADLINES.map((kind) => keys.entry(kind, check.tenant_id, check.id)),
  ]);
  if (!entity) return undefined;
  const account = await alertingOf({ ports, keys }, check.tenant_id, head);
  const sk = deadlines[ALERT_DEADLINES.indexOf('hold')]?.note?.held?.transition_sk;
  const held = sk && (await ports.table.get<TransitionItem>({ pk: keys.ofCheck(check.tenant_id, check.id), sk }));
  const policy = effectivePolicy(stored, { check, entity, account, now: ports.clock.now() });
  const counts = check.state !== 'down' && entity.dependents + entity.dependencies > 0;
  const destinations = counts ? channelsThatApply(policy, 'down', check.alerts).map(destinationOf) : [];
  return {
    ...{ entity, policy },
    ...(destinations.length > 0 && { pages: await readPages({ ports, keys }, check.tenant_id, destinations) }),
    ...(stored && { storedPolicy: stored }),
    incident,
    ...(held && { held }),
    deadlines: Object.fromEntries(ALERT_DEADLINES.flatMap((kind, i) => (deadlines[i] ? [[kind, deadlines[i]]] : []))),
  };
}
