import type { AlertItem } from '#lib/alerting/decide/alert-item.ts';
import type { DeliveryItem } from '#lib/alerting/notify/delivery-item.ts';
import type { PolicyItem } from '#lib/alerting/policy/policy.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import { timeOf } from '#lib/platform/ids.ts';
import { hears } from './in-force.ts';
import {
  alertsIn,
  type Commit,
  checkIdOf,
  checksIn,
  deliveriesIn,
  type Inside,
  isCheckKey,
  keyText,
} from './inside.ts';

/**
 * While somebody looks after a failure nobody is reminded or called. Each step of an escalation is taken once a
 * failure, in its order and not before its time. Whom a step names hears nothing of a failure before it, and hears of
 * the recovery where it was called. No step is forgotten.
 */
export function checkEscalation(inside: Inside): string[] {
  const known: Known = {
    checks: new Map(),
    policies: new Map(),
    taken: new Set(),
    called: new Map(),
    given_up: new Set(),
  };
  const deliveries = deliveriesIn(inside.seen);
  const wrong = inside.seen.commits.flatMap((commit) => {
    const alerts = alertsIn(commit);
    const said = alerts.flatMap((alert) => judge(alert, known, deliveries));
    for (const alert of alerts) noteCalled(alert, known, deliveries);
    noteItems(commit, known);
    return said;
  });
  return [...wrong, ...forgotten(inside)];
}

type Known = {
  checks: Map<string, CheckItem>;
  policies: Map<string, PolicyItem>;
  /** Steps that were taken, by failure. */
  taken: Set<string>;
  /** Channels that a step has called, and that were not told of a recovery since, by check. */
  called: Map<string, Set<string>>;
  /** Checks whose repair was given up, which calls the next step at once. */
  given_up: Set<string>;
};

function noteItems({ changes }: Commit, { checks, policies }: Known): void {
  for (const { key, after } of changes) {
    const map = isCheckKey(key) ? checks : key.sk === 'POLICY' ? policies : undefined;
    if (after) map?.set(checkIdOf(key), after as CheckItem & PolicyItem);
    else map?.delete(checkIdOf(key));
  }
}

function judge(alert: AlertItem, known: Known, deliveries: DeliveryItem[]): string[] {
  const { id, kind, check_id, reports_state, to } = alert;
  const at = timeOf(id);
  const wrong: string[] = [];
  const check = known.checks.get(check_id);
  const { channels = [], escalation = [] } = known.policies.get(check_id) ?? {};
  const by = check?.alerts.episode?.acknowledgement;
  if ((kind === 'reminder' || kind === 'escalation') && by && (by.until ?? Number.POSITIVE_INFINITY) > at)
    wrong.push(`${id} (${kind}) goes out at ${at}, though ${by.by} looks after it since ${by.at}`);

  if (kind === 'escalation') {
    const { step = -1 } = alert;
    const { transition_id, escalation: running } = check?.alerts.episode ?? {};
    const name = `${transition_id} ${step}`;
    if (!running || running.steps !== step) wrong.push(`${id} is step ${step}, and ${running?.steps} were taken`);
    if (known.taken.has(name)) wrong.push(`${id} takes step ${step} once more`);
    known.taken.add(name);
    const due = (running?.from ?? at) + (escalation[step]?.after_seconds ?? 0) * 1000;
    const hasFailed = deliveries.some((one) => one.check_id === check_id && one.status === 'failed');
    const isCalledEarly = hasFailed || known.given_up.delete(check_id);
    if (at < due && !isCalledEarly) wrong.push(`${id} takes step ${step} at ${at}, before ${due}`);
    return wrong;
  }
  if (kind === 'remediation_failed') known.given_up.add(check_id);
  if (kind === 'test' || reports_state === null || !check) return wrong;
  for (const { channel_id } of to)
    if (!hears(channel_id, escalation, check.alerts, reports_state) && channels.some((one) => one.id === channel_id))
      wrong.push(`${id} (${kind}) goes to ${channel_id} before its step`);
  if (reports_state !== 'up') return wrong;
  const addressOf = (id: string) => channels.find((one) => one.id === id)?.destination;
  for (const channel of known.called.get(check_id) ?? []) {
    const address = addressOf(channel);
    const isTold = to.some(({ channel_id }) => channel_id === channel || addressOf(channel_id) === address);
    if (address !== undefined && !isTold) wrong.push(`${id} says up, and not to ${channel}, which was called`);
  }
  return wrong;
}

function noteCalled({ kind, check_id, reports_state, to }: AlertItem, { called }: Known, deliveries: DeliveryItem[]): void {
  if (reports_state === 'up') called.delete(check_id);
  if (kind !== 'escalation') return;
  const sent = new Set(deliveries.filter(({ status }) => status === 'sent').map(({ id }) => id));
  const told = to.filter(({ delivery_id }) => sent.has(delivery_id)).map(({ channel_id }) => channel_id);
  called.set(check_id, new Set([...(called.get(check_id) ?? []), ...told]));
}

/** A step that is left has its deadline, unless somebody looks after the failure for good. */
const forgotten = ({ seen, keys }: Inside): string[] =>
  checksIn(seen).flatMap(({ id, tenant_id, alerts: { episode } }) => {
    const policy = seen.table.get(keyText(keys.policy(tenant_id, id))) as PolicyItem | undefined;
    const isLeft = episode?.escalation && policy?.escalation?.[episode.escalation.steps];
    const isCared = episode?.acknowledgement && episode.acknowledgement.until === undefined;
    if (!isLeft || isCared || seen.table.has(keyText(keys.entry('escalation', tenant_id, id)))) return [];
    return [`${id} has taken ${episode.escalation!.steps} steps, and nothing brings the next one`];
  });
