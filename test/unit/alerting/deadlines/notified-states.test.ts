import fc from 'fast-check';
import { expect, it } from 'vitest';
import { withTimedAlert } from '#lib/alerting/deadlines/timed-alert.ts';
import { decideLateAlert } from '#lib/alerting/deadlines/timed-decisions.ts';
import type { DeadlineEntry } from '#lib/alerting/decide/notes.ts';
import { lastNotifiedState, reportedStateOf } from '#lib/alerting/decide/notified-state.ts';
import { type Policy, policyUnchanged } from '#lib/alerting/policy/policy.ts';
import type { CheckState } from '#lib/catalog/states.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import { keyTable } from '#lib/keys.ts';
import { changedBy } from '#test/support/changed-by.ts';
import { shopEntity } from '#test/support/shop-entity.ts';
import { dueAlert, MINUTE, NOW } from './due-alert-deadline.ts';

const keys = keyTable({ BUCKETS: 1, SHARDS: 1 });
const DAY = 1440 * MINUTE;

type Changes = { to: CheckState; after: number }[];
type SentAlert = { at: number; state: string };

/** Simulates state changes of a check and its late alerts. Every alert is sent. Returns the alerts and the check. */
function simulate(changes: Changes, settings: Partial<Policy>) {
  const given = dueAlert({ state: 'unknown', policy: settings });
  const { policy } = given;
  let check: CheckItem = { ...given.check, alerts: {} };
  let entity = shopEntity([check.id], NOW);
  let entry: DeadlineEntry | undefined;
  const sent: SentAlert[] = [];
  let now = NOW;

  const handleUntil = (until: number): void => {
    while (entry && entry.deadline <= until) {
      now = Math.max(now, entry.deadline);
      const decision = decideLateAlert({ ...given, check, entry, now });
      const { alert, next } = decision;
      entry = next && { ...entry, ...next };
      if (!alert) continue;
      check = { ...check, ...withTimedAlert(check, `late-${now}`, alert, now) };
      sent.push({ at: now, state: alert.reports_state });
    }
    now = until;
  };
  for (const { to, after } of changes) {
    handleUntil(now + after);
    if (to === check.state) continue;
    const basis = {
      entity,
      policy,
      policyUnchanged: policyUnchanged(keys, check, undefined),
      deadlines: { ...(entry && { late: entry }) },
    };
    const change = changedBy(keys, `t${now}`, basis, {
      check,
      to,
      cause: 'result',
      error_message: '',
      now,
      retention_days: 30,
    });
    if (change.transition.alert.reason === null) sent.push({ at: change.at, state: reportedStateOf(to, policy) });
    const put = change.writes.find((write) => 'put' in write && 'kind' in write.put && write.put.kind === 'late');
    if (put && 'put' in put) entry = put.put as DeadlineEntry;
    entity = change.entity;
    check = { ...check, ...change.check };
    now = change.at;
  }
  handleUntil(now + 3 * DAY);
  return { sent, check, policy };
}

const waits = fc.oneof(fc.integer({ min: 1, max: 5 * MINUTE }), fc.integer({ min: 1, max: 120 * MINUTE }));
const changesOf = (...states: CheckState[]) =>
  fc.array(fc.record({ to: fc.constantFrom(...states), after: waits }), { maxLength: 30 });
const cooldown_seconds = fc.constantFrom(0, 60, 300, 3600);

it('notifies the present state after the end of every cooldown and flapping', () => {
  fc.assert(
    fc.property(
      changesOf('up', 'degraded', 'down'),
      fc.record({
        cooldown_seconds,
        notify_on_recovery: fc.boolean(),
        notify_on_degraded: fc.boolean(),
        flap_threshold: fc.constantFrom(0, 3, 5),
        flap_window_seconds: fc.constantFrom(60, 600, 3600),
      }),
      (changes, settings) => {
        const { check, policy } = simulate(changes, settings);
        const lastState = reportedStateOf(check.state, policy);
        if (lastState === 'up' && !settings.notify_on_recovery) return;
        expect(lastNotifiedState(check.alerts)).toBe(lastState);
      },
    ),
  );
});

it('does not delay an alert for down by a warning', () => {
  fc.assert(
    fc.property(changesOf('up', 'degraded', 'down'), cooldown_seconds, (changes, seconds) => {
      const pages = ({ sent }: ReturnType<typeof simulate>) => sent.filter(({ state }) => state === 'down').length;
      const aware = simulate(changes, { cooldown_seconds: seconds });
      const firstDown = aware.sent.find(({ state }) => state === 'down');
      const plain = simulate(changes, { cooldown_seconds: seconds, notify_on_degraded: false });
      expect(firstDown).toEqual(plain.sent.find(({ state }) => state === 'down'));
      expect(pages(aware) > 0).toBe(pages(plain) > 0);
    }),
  );
});

it('sends the same alerts with and without alerts on degraded if the check is never degraded', () => {
  fc.assert(
    fc.property(
      changesOf('up', 'down'),
      fc.record({ cooldown_seconds, notify_on_recovery: fc.boolean(), late_alerts: fc.boolean() }),
      fc.boolean(),
      (changes, settings, notify_on_degraded) => {
        const { sent } = simulate(changes, { ...settings, notify_on_degraded });
        expect(sent).toEqual(plainAlerts(changes, settings));
      },
    ),
  );
});

/** Restates the alerts of a check that is never degraded. `missed`: number of failures that no alert has reported. */
function plainAlerts(
  changes: Changes,
  settings: { cooldown_seconds: number; notify_on_recovery: boolean; late_alerts: boolean },
): SentAlert[] {
  const { notify_on_recovery, late_alerts } = settings;
  const cooldown = settings.cooldown_seconds * 1000;
  const sent: SentAlert[] = [];
  let [state, lastState, last, recheckAt, missed] = ['unknown', 'up', 0, Number.POSITIVE_INFINITY, 0];
  let now = NOW;
  const send = (at: number) => {
    sent.push({ at, state });
    [lastState, last, missed] = [state, at, 0];
  };
  const handleUntil = (until: number) => {
    while (recheckAt <= until) {
      const at = Math.max(now, recheckAt);
      const isDue = (state !== lastState || missed > 0) && (state === 'down' || notify_on_recovery);
      recheckAt = isDue && at < last + cooldown ? last + cooldown : Number.POSITIVE_INFINITY;
      if (isDue && recheckAt === Number.POSITIVE_INFINITY) send(at);
    }
    now = until;
  };
  for (const { to, after } of changes) {
    handleUntil(now + after);
    if (to === state) continue;
    const isFirst = state === 'unknown' && to === 'up' && lastState === 'up';
    state = to;
    if (isFirst || (to === 'up' && !notify_on_recovery)) continue;
    if (now >= last + cooldown) send(now);
    else {
      if (to === 'down') missed++;
      if (late_alerts) recheckAt = Math.min(recheckAt, last + cooldown);
    }
  }
  handleUntil(now + 3 * DAY);
  return sent;
}
