import type { AlertItem } from '#lib/alerting/decide/alert-item.ts';
import type { DeliveryItem } from '#lib/alerting/notify/delivery-item.ts';
import type { PolicyItem } from '#lib/alerting/policy/policy.ts';
import type { RotaItem } from '#lib/alerting/policy/rotas.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import { timeOf } from '#lib/platform/ids.ts';
import { channelsOfStep, destinationsOnCall, isRecipient, possibleTimes, trackAccounts } from './in-force.ts';
import {
  alertsIn,
  type Change,
  type Commit,
  checkIdOf,
  checksIn,
  deliveriesIn,
  type Inside,
  isCheckKey,
  keyText,
} from './inside.ts';

/**
 * Promise: while a failure is acknowledged, it causes no reminder or escalation. Each escalation step is taken once per
 * failure, in order and not too early. It notifies its channels and those of the person on call in its rotas, and no
 * others. If it cannot reach a person on call, the check records that. A channel in a step is not notified of a failure
 * before that step, and is notified of the recovery if it was notified. No step is forgotten.
 */
export function checkEscalation(inside: Inside): string[] {
  const known: Known = {
    checks: new Map(),
    policies: new Map(),
    rotas: new Map(),
    taken: new Set(),
    called: new Map(),
    given_up: new Set(),
    accounts: trackAccounts(),
  };
  const deliveries = deliveriesIn(inside.seen);
  const wrong = inside.seen.commits.flatMap((commit) => {
    const alerts = alertsIn(commit);
    const violations = [
      ...alerts.flatMap((alert) => findViolations(alert, known, deliveries)),
      ...commit.changes.flatMap((change) => wronglyReached(change, commit.at, alerts, known)),
    ];
    for (const alert of alerts) recordNotified(alert, known, deliveries);
    recordItems(commit, known);
    known.accounts.take(commit);
    return violations;
  });
  return [...wrong, ...forgotten(inside)];
}

const isOnRota = (id: string, rotas: readonly RotaItem[]): boolean =>
  rotas.some(({ members }) => members.some(({ channel_ids }) => channel_ids.includes(id)));

type Known = {
  checks: Map<string, CheckItem>;
  policies: Map<string, PolicyItem>;
  /** Rotas by key. */
  rotas: Map<string, RotaItem>;
  /** Taken steps, by failure. */
  taken: Set<string>;
  /** Channels that a step notified and that were not notified of a recovery since, by check. */
  called: Map<string, Set<string>>;
  /** Checks whose remediation was abandoned, which makes the next step due immediately. */
  given_up: Set<string>;
  accounts: ReturnType<typeof trackAccounts>;
};

function recordItems({ changes }: Commit, { checks, policies, rotas }: Known): void {
  for (const { key, after } of changes) {
    if (after && key.sk.startsWith('ROTA#')) rotas.set(keyText(key), after as RotaItem);
    const map = isCheckKey(key) ? checks : key.sk === 'POLICY' ? policies : undefined;
    if (after) map?.set(checkIdOf(key), after as CheckItem & PolicyItem);
    else map?.delete(checkIdOf(key));
  }
}

/** A step reaches each person on call who has a channel. The check records whether a person on call has none. */
function wronglyReached({ key, before, after }: Change, at: number, alerts: AlertItem[], known: Known): string[] {
  if (!isCheckKey(key) || !after) return [];
  const check = after as CheckItem;
  const { escalation: was } = (before as CheckItem | undefined)?.alerts.episode ?? {};
  const { escalation: is } = check.alerts.episode ?? {};
  if (!was || !is || is.steps !== was.steps + 1) return [];
  const step = known.policies.get(check.id)?.escalation?.[was.steps];
  const to = alerts.filter((one) => one.kind === 'escalation' && one.check_id === check.id).flatMap((one) => one.to);
  const reached = new Set(to.map(({ channel_id, destination = channel_id }) => destination));
  const isRight = (persons: string[][]): boolean =>
    persons.flat().every((address) => reached.has(address)) &&
    persons.some((addresses) => addresses.length === 0) === (is.unreached?.includes(was.steps) ?? false);
  const isPossible = known.accounts
    .of(check.tenant_id, at)
    .some((account) => possibleTimes(at).some((time) => isRight(destinationsOnCall(step, account, check, time))));
  return isPossible ? [] : [`step ${was.steps} of check ${check.id} at ${at} does not reach the person on call`];
}

function findViolations(alert: AlertItem, known: Known, deliveries: DeliveryItem[]): string[] {
  const { id, kind, check_id, reports_state, to } = alert;
  const at = timeOf(id);
  const wrong: string[] = [];
  const check = known.checks.get(check_id);
  const { channels = [], escalation = [] } = known.policies.get(check_id) ?? {};
  const rotas = [...known.rotas.values()];
  const by = check?.alerts.episode?.acknowledgement;
  if ((kind === 'reminder' || kind === 'escalation') && by && (by.until ?? Number.POSITIVE_INFINITY) > at)
    wrong.push(`alert ${id} (${kind}) is sent at ${at}, although ${by.by} acknowledged the failure at ${by.at}`);

  if (kind === 'escalation') {
    const { step = -1 } = alert;
    const { transition_id, escalation: running } = check?.alerts.episode ?? {};
    const name = `${transition_id} ${step}`;
    if (!running || running.steps !== step)
      wrong.push(`alert ${id} is step ${step}, but ${running?.steps} steps were taken`);
    if (known.taken.has(name)) wrong.push(`alert ${id} repeats step ${step}`);
    known.taken.add(name);
    const due = (running?.from ?? at) + (escalation[step]?.after_seconds ?? 0) * 1000;
    const hasFailed = deliveries.some((one) => one.check_id === check_id && one.status === 'failed');
    const isCalledEarly = hasFailed || running?.unreached?.includes(step - 1) || known.given_up.delete(check_id);
    if (at < due && !isCalledEarly) wrong.push(`alert ${id} takes step ${step} at ${at}, before it is due at ${due}`);
    const onCall = possibleTimes(at).map((time) => channelsOfStep(escalation[step], rotas, time));
    for (const { channel_id } of to)
      if (onCall.every((channels) => !channels.has(channel_id)))
        wrong.push(`alert ${id} takes step ${step} at ${at}, but channel ${channel_id} is not on call`);
    return wrong;
  }
  if (kind === 'remediation_failed') known.given_up.add(check_id);
  if (kind === 'test' || reports_state === null || !check) return wrong;
  for (const { channel_id } of to)
    if (
      !isRecipient(channel_id, escalation, rotas, check.alerts, reports_state) &&
      (channels.some((one) => one.id === channel_id) || isOnRota(channel_id, rotas))
    )
      wrong.push(`alert ${id} (${kind}) goes to channel ${channel_id} before its step`);
  if (reports_state !== 'up') return wrong;
  const addressOf = (id: string) => channels.find((one) => one.id === id)?.destination;
  for (const channel of known.called.get(check_id) ?? []) {
    const address = addressOf(channel);
    const isNotified = to.some(({ channel_id }) => channel_id === channel || addressOf(channel_id) === address);
    if (address !== undefined && !isNotified)
      wrong.push(`alert ${id} reports the recovery, but not to channel ${channel}, which a step notified`);
  }
  return wrong;
}

function recordNotified(
  { kind, check_id, reports_state, to }: AlertItem,
  { called }: Known,
  deliveries: DeliveryItem[],
): void {
  if (reports_state === 'up') called.delete(check_id);
  if (kind !== 'escalation') return;
  const sent = new Set(deliveries.filter(({ status }) => status === 'sent').map(({ id }) => id));
  const notified = to.filter(({ delivery_id }) => sent.has(delivery_id)).map(({ channel_id }) => channel_id);
  called.set(check_id, new Set([...(called.get(check_id) ?? []), ...notified]));
}

/** A remaining step has a deadline, unless the failure is acknowledged permanently. */
const forgotten = ({ seen, keys }: Inside): string[] =>
  checksIn(seen).flatMap(({ id, tenant_id, alerts: { episode } }) => {
    const policy = seen.table.get(keyText(keys.policy(tenant_id, id))) as PolicyItem | undefined;
    const isLeft = episode?.escalation && policy?.escalation?.[episode.escalation.steps];
    const isAcknowledged = episode?.acknowledgement && episode.acknowledgement.until === undefined;
    if (!isLeft || isAcknowledged || seen.table.has(keyText(keys.entry('escalation', tenant_id, id)))) return [];
    return [`check ${id} has taken ${episode.escalation!.steps} steps, but the next one has no deadline`];
  });
