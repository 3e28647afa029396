import { isDeepStrictEqual } from 'node:util';
import { type AlertItem, deliveriesOf, isAlert } from '#lib/alerting/decide/alert-item.ts';
import type { DecidedTransition } from '#lib/alerting/decide/transition.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import type { Item } from '#lib/platform/ports.ts';
import type { ResultItem } from '#lib/results/result.ts';
import { checkAggregate } from './aggregates.ts';
import {
  type DecisionInput,
  flapsAfter,
  type HeldAlertState,
  isHeldFor,
  isWarning,
  lastNotifiedState,
  recipientsOf,
  reportableState,
  reportedAs,
  skipsCooldown,
  suppressionReason,
} from './alert-rules.ts';
import { trackHolds, trackRelations } from './holds-seen.ts';
import { type EffectiveSettings, effectiveSettings, possibleTimes, trackAccounts } from './in-force.ts';
import { type Change, type Commit, checkIdOf, type Inside, isCheckKey, keyText } from './inside.ts';
import { afterResult, type Counters, countersOf, isSame, outcomeOf, textOf } from './state-counters.ts';

const isCheck = ({ key }: Change): boolean => isCheckKey(key);
const isResult = ({ key }: Change): boolean => key.sk.startsWith('R#');
const isTransition = ({ key }: Change): boolean => key.sk.startsWith('TR#');
const isEntity = ({ key }: Change): boolean => key.pk.includes('#ENTITIES#');

/** Promise: every commit contains exactly the changes that belong together, with the correct content. */
export function checkStates({ seen, keys }: Inside): string[] {
  const wrong: string[] = [];
  const table = new Map<string, Item>();
  const accounts = trackAccounts();
  /** Returns the settings that a decision can have used, the likeliest first. */
  const policiesOf = (check: CheckItem, at: number) =>
    accounts
      .of(check.tenant_id, at)
      .flatMap((account) => possibleTimes(at).map((moment) => effectiveSettings(table, account, keys, check, moment)));
  const [relations, holds] = [trackRelations(), trackHolds()];
  const known: Known = {
    policiesOf,
    heldOf: holds.of,
    needsOf: ({ entity_id }) => relations.from(entity_id).length,
  };
  const say = (commit: Commit, text: string) => wrong.push(`commit ${commit.n} at ${commit.at}: ${text}`);

  for (const commit of seen.commits) {
    const of = (is: (change: Change) => boolean) => commit.changes.filter(is);
    for (const change of of(isResult)) checkResult(change, (text) => say(commit, text));
    for (const change of of(isCheck)) checkCheck(commit, change, known, (text) => say(commit, text));
    for (const { key } of of((one) => isAlert(one.key) && one.before !== undefined && one.after !== undefined))
      say(commit, `alert ${key.sk} was overwritten`);
    const byDeadline = ({ kind, decided_on, remediation }: AlertItem) =>
      decided_on && kind !== 'acknowledged' && !remediation;
    for (const alert of alertsIn(commit).filter(byDeadline)) {
      if (!of(({ key }) => key.pk.startsWith('SCHEDULE#') && key.sk.endsWith(`#${alert.check_id}`)).length)
        say(commit, `alert ${alert.id} (${alert.kind}) did not change its deadline`);
    }
    for (const change of of(isEntity)) checkAggregate(commit, change, (text) => say(commit, text));
    for (const change of of(isTransition)) {
      if (change.before) {
        if (!isAllowed(change)) say(commit, `transition ${change.key.sk} was overwritten`);
        continue;
      }
      const { check_id } = change.after as DecidedTransition;
      if (!of(isCheck).some(({ before }) => (before as CheckItem | undefined)?.id === check_id))
        say(commit, `transition ${change.key.sk} was written without a change of its check`);
    }
    accounts.take(commit);
    for (const { key, after } of commit.changes) {
      if (after) table.set(keyText(key), after);
      else table.delete(keyText(key));
    }
    relations.take(commit);
    holds.take(commit);
  }
  return wrong;
}

function checkResult({ key, before, after }: Change, say: (text: string) => void): void {
  if (!after) say(`result ${key.pk} ${key.sk} was removed`);
  if (!after || !before) return;
  const [old, now] = [before as ResultItem, after as ResultItem];
  const same = old.success === now.success && old.received_at === now.received_at && old.checked_at === now.checked_at;
  if (!same || old.applied || !now.applied || old.received_at === undefined) {
    say(`result ${key.pk} ${key.sk} was overwritten`);
  }
}

/** Whether a change of a transition is the final decision of its held alert, or only names the cause of the hold. */
function isAllowed({ before, after }: Change): boolean {
  const [old, now] = [before as DecidedTransition, after as DecidedTransition | undefined];
  if (!now || old.alert.decision !== 'held') return false;
  const { alert: alertBefore, decided_on: onBefore, v: _v, ...was } = old;
  const { alert, decided_on, v: _w, ...is } = now;
  if (!isDeepStrictEqual(was, is)) return false;
  const named = { ...alertBefore, attributed_to: alert.attributed_to };
  return alert.decision !== 'held' || isDeepStrictEqual([named, onBefore], [alert, decided_on]);
}

type Known = {
  policiesOf(check: CheckItem, at: number): EffectiveSettings[];
  heldOf(check: CheckItem): HeldAlertState | undefined;
  /** Returns the number of relations of its entity that propagate failure. */
  needsOf(check: CheckItem): number;
};

function checkCheck(commit: Commit, change: Change, known: Known, say: (text: string) => void): void {
  const before = change.before as CheckItem | undefined;
  const after = change.after as CheckItem | undefined;
  if (!before) {
    if (after && !isSame(countersOf(after), NO_RESULTS))
      say(`check ${after.id} started as ${textOf(countersOf(after))}`);
    return;
  }
  const { id } = before;
  const to = expected(commit, before, after, say);
  if (after && !isSame(countersOf(after), to)) {
    const [from, came] = [textOf(countersOf(before)), textOf(countersOf(after))];
    say(`check ${id} went from ${from} to ${came}, expected ${textOf(to)}`);
  }
  const transitions = commit.changes
    .filter((one) => isTransition(one) && !one.before)
    .map((one) => one.after as DecidedTransition)
    .filter((one) => one.check_id === id);
  const gone = !after && !commit.changes.some((one) => isEntity(one) && one.after);
  const due = !gone && before.state !== (after?.state ?? 'unknown') ? 1 : 0;
  if (transitions.length !== due) say(`check ${id} has ${transitions.length} transitions in a commit, expected ${due}`);
  for (const one of transitions) {
    const byPolicy = known.policiesOf(before, Date.parse(one.timestamp)).map((policy) => {
      const wrong: string[] = [];
      const by: DecisionInput = { policy, held: known.heldOf(before), needs: known.needsOf(before) };
      checkTransition(one, before, after, by, (text) => wrong.push(text));
      checkAlert(one, before, alertsIn(commit), by, (text) => wrong.push(text));
      return wrong;
    });
    if (byPolicy.every(({ length }) => length > 0)) for (const text of byPolicy[0]!) say(text);
  }
}

const NO_RESULTS: Counters = { state: 'unknown', fails: 0, bads: 0, goods: 0, oks: 0 };

/** Returns the expected counters of the check after the commit. */
function expected(
  commit: Commit,
  before: CheckItem,
  after: CheckItem | undefined,
  say: (text: string) => void,
): Counters {
  const kept = countersOf(before);
  const results = commit.changes
    .filter((one) => isResult(one) && checkIdOf(one.key) === before.id)
    .map((one) => one.after);
  if (results.length > 1) say(`check ${before.id} applied ${results.length} results in one commit`);
  const result = results[0] as ResultItem | undefined;
  if (!after) return NO_RESULTS;
  if (after.rev !== before.rev) {
    if (after.rev !== before.rev + 1) say(`check ${before.id} skipped a revision`);
    if (result) say(`check ${before.id} applied a result and changed its settings in one commit`);
    if (after.enabled === before.enabled) return kept;
    return NO_RESULTS;
  }
  if (!result) return kept;
  if (result.record_only) say(`check ${before.id} applied a result that is recorded only`);
  if (!before.enabled) say(`check ${before.id} applied a result while disabled`);
  return afterResult(before, outcomeOf(result));
}

function checkTransition(
  one: DecidedTransition,
  before: CheckItem,
  after: CheckItem | undefined,
  given: DecisionInput,
  say: (text: string) => void,
): void {
  const { policy } = given;
  const { transition_id: id } = one;
  if (one.check_from_state !== before.state || one.check_to_state !== (after?.state ?? 'unknown')) {
    say(`transition ${id} goes from ${one.check_from_state} to ${one.check_to_state}, unlike its check`);
  }
  const at = Date.parse(one.timestamp);
  const flaps = flapsAfter(before.alerts, one, at, policy);
  const reason = suppressionReason(one, at, before, flaps, given);
  if (one.alert.reason !== reason) say(`transition ${id} has the reason ${one.alert.reason}, expected ${reason}`);
  const says = reportedAs(reportableState(policy, one.check_to_state));
  const decision = reason === null ? 'planned' : isHeldFor(reason, one, before, policy) ? 'held' : 'skipped';
  if (one.alert.decision !== decision)
    say(`transition ${id} is ${one.alert.decision} with the reason ${reason}, expected ${decision}`);
  if (!after) return;
  const { last_planned_at, last_warned_at } = before.alerts;
  const warns = isWarning(one, policy);
  const startsCooldown = reason === null && !skipsCooldown(one, before, policy);
  const paged = startsCooldown && !warns ? at : last_planned_at;
  const warned = startsCooldown && warns ? at : last_warned_at;
  if (after.alerts.last_planned_at !== paged)
    say(`transition ${id} set last_planned_at to ${after.alerts.last_planned_at}, expected ${paged}`);
  if (after.alerts.last_warned_at !== warned)
    say(`transition ${id} set last_warned_at to ${after.alerts.last_warned_at}, expected ${warned}`);
  const { flapping } = flaps;
  const remembered = { ...flaps, ...(flapping && reason === null && { flapping: { ...flapping, notified: true } }) };
  const { changed_at, flapping: left } = after.alerts;
  const kept = { ...(changed_at && { changed_at }), ...(left && { flapping: left }) };
  if (!isDeepStrictEqual(kept, remembered))
    say(`transition ${id} left the flapping note ${JSON.stringify(kept)}, expected ${JSON.stringify(remembered)}`);
  // If a recovery has no recipients, none of the present ones knows of the failure: the last notified state becomes up.
  const isWithoutRecipients = reason === 'dependency' && says === 'up';
  const isClosed = isWithoutRecipients || closes(one, before, given);
  const notifiedState =
    reason === null ? reportableState(policy, one.check_to_state) : isClosed ? 'up' : lastNotifiedState(before);
  if (lastNotifiedState(after) !== notifiedState)
    say(`transition ${id} left the last notified state ${lastNotifiedState(after)}, expected ${notifiedState}`);
}

/**
 * Whether a closing alert is sent to channels that were notified of a problem, because the check was disabled or
 * deleted.
 */
const closes = (one: DecidedTransition, before: CheckItem, given: DecisionInput): boolean =>
  one.alert.reason === 'configuration' &&
  lastNotifiedState(before) !== 'up' &&
  !given.policy.silenced &&
  recipientsOf('up', given).length > 0;

const alertsIn = ({ changes }: Commit): AlertItem[] =>
  changes.flatMap(({ after }) => (after && isAlert(after) ? [after] : []));

/** The transaction of a transition contains exactly its expected alert. */
function checkAlert(
  one: DecidedTransition,
  before: CheckItem,
  alerts: AlertItem[],
  given: DecisionInput,
  say: (text: string) => void,
): void {
  const { transition_id: id, alert } = one;
  const kind = alert.decision === 'planned' ? 'state_change' : closes(one, before, given) ? 'closed' : undefined;
  const [item, ...more] = alerts.filter(({ transition_id }) => transition_id === id);
  if (item?.kind !== kind || more.length > 0)
    say(`transition ${id} has an alert of kind ${item?.kind}, expected ${kind}`);
  const says = kind === 'closed' ? 'up' : reportedAs(reportableState(given.policy, one.check_to_state));
  const channels = kind ? recipientsOf(says, given) : [];
  const recipients = item?.to.map(({ channel_id }) => channel_id) ?? [];
  if (String(recipients) !== String(channels))
    say(`the alert of transition ${id} goes to ${recipients}, expected ${channels}`);
  const deliveries = kind === 'state_change' ? deliveriesOf(item!) : [];
  if (String(alert.deliveries) !== String(deliveries))
    say(`transition ${id} names the deliveries ${alert.deliveries}, expected ${deliveries}`);
}
