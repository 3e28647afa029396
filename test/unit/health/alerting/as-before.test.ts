import fc from 'fast-check';
import { expect, it } from 'vitest';
import { remember, type TimedDecision } from '#lib/alerting/deadlines/timed-alert.ts';
import { decideCatchUp, decideRepeat } from '#lib/alerting/deadlines/timed-decisions.ts';
import { deliveryIdOf, isAlert } from '#lib/alerting/decide/alert-item.ts';
import { countChange, uncounted } from '#lib/alerting/decide/memory.ts';
import type { DeadlineNote } from '#lib/alerting/notes.ts';
import { type Policy, shown } from '#lib/alerting/policy/policy.ts';
import type { EntityItem } from '#lib/catalog/entity.ts';
import type { CheckState } from '#lib/catalog/states.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import { changeState } from '#lib/checks/state/change-state.ts';
import type { TransitionCause } from '#lib/checks/state/transition.ts';
import { keyTable } from '#lib/keys.ts';
import { iso } from '#lib/platform/time.ts';
import type { DeadlineEntry } from '#lib/schedule/entries.ts';
import { MINUTE, NOW, situation } from '#test/unit/alerts/plan/situation.ts';
import { catchUpBefore, cooldownBefore, freeAt, type Look, repeatBefore, silentBefore } from './rules-before.ts';

const keys = keyTable({ BUCKETS: 1, SHARDS: 1 });

type Step = {
  after: number;
  to: CheckState;
  cause: TransitionCause;
  settings: Partial<Policy>;
  note: DeadlineNote | undefined;
};

const settings: fc.Arbitrary<Partial<Policy>> = fc.record(
  {
    silenced: fc.boolean(),
    notify_on_recovery: fc.boolean(),
    notify_on_degraded: fc.boolean(),
    catch_up: fc.boolean(),
    cooldown_seconds: fc.constantFrom(0, 60, 300, 3600),
    repeat_interval_seconds: fc.constantFrom(0, 60, 600),
    flap_threshold: fc.constantFrom(0, 3, 3, 5),
    flap_window_seconds: fc.constantFrom(60, 600, 3600),
    channels: fc.constantFrom<Policy['channels']>([], situation({}).policy.channels),
  },
  { requiredKeys: [] },
);

const step: fc.Arbitrary<Step> = fc.record({
  after: fc.oneof(
    fc.integer({ min: 1, max: MINUTE / 4 }),
    fc.integer({ min: 1, max: 5 * MINUTE }),
    fc.integer({ min: 1, max: 120 * MINUTE }),
  ),
  to: fc.constantFrom<CheckState>('up', 'degraded', 'down', 'unknown'),
  cause: fc.oneof(
    { weight: 9, arbitrary: fc.constantFrom<TransitionCause>('result', 'silence') },
    fc.constantFrom<TransitionCause>('check_disabled', 'check_deleted'),
  ),
  settings: fc.oneof({ weight: 8, arbitrary: fc.constant({}) }, settings),
  note: fc.constantFrom<DeadlineNote | undefined>(
    undefined,
    undefined,
    { misled: true },
    { failed_at: NOW, tries: 1 },
    { closing: true },
  ),
});

/** A decision in the terms of the rules of before. */
const lookOf = ({ alert, next }: TimedDecision): Look => ({
  ...(alert && {
    told: {
      kind: alert.situation.kind,
      announces: alert.announces,
      warns: alert.cooldown && alert.cooldown === 'warning',
    },
  }),
  ...(next && { again: next.deadline }),
});

it('without relations, windows and silences with an end, every alert is decided as by the rules of before', () => {
  const decisions = new Set<string | null>();
  fc.assert(
    fc.property(settings, fc.array(step, { minLength: 1, maxLength: 25 }), (from, steps) => {
      const given = situation({ state: 'unknown' });
      let policy: Policy = { ...given.policy, ...from };
      let check: CheckItem = { ...given.check, alerts: {} };
      let entity: EntityItem = ENTITY;
      let catchUp: DeadlineEntry | undefined;
      let repeat: DeadlineEntry | undefined;
      let now = NOW;

      for (const { after, to, cause, settings, note } of steps) {
        now += after;
        policy = { ...policy, ...settings };
        const enabled = cause === 'result' || cause === 'silence';
        const looked = { ...check, enabled };
        const entry = { deadline: now, ...(note && { note }) };
        const due = { check: looked, policy, entry, now };

        const late = decideCatchUp(due);
        // While there is no channel it tells nothing; that it is looked at again is for one of the account that comes.
        if (policy.channels.length > 0) expect(lookOf(late)).toEqual(catchUpBefore(looked, policy, note, now));
        else expect(lookOf(late).told).toBeUndefined();
        expect(lookOf(decideRepeat(due))).toEqual(repeatBefore(looked, policy, now));
        if (catchUp && catchUp.deadline <= now) {
          if (late.alert) check = { ...check, ...remember(check, `late-${now}`, late.alert, now) };
          catchUp = undefined;
        }
        if (to === check.state) continue;

        const change = changeState(
          keys,
          `t${now}`,
          {
            ...{ entity, policy, storedPolicy: { v: 'p' } },
            deadlines: { ...(catchUp && { catch_up: catchUp }), ...(repeat && { repeat }) },
          },
          { check, to, cause, error_message: '', now, retention_days: 30 },
        );
        const one = { cause, from: check.state, to, at: change.at };
        const counts = check.state !== 'unknown' && shown(check.state, policy) !== shown(to, policy);
        const counted = !enabled
          ? uncounted(check.alerts)
          : counts
            ? countChange(check.alerts, policy, change.at)
            : check.alerts;
        const reason = silentBefore(one, counted, policy);
        decisions.add(reason);
        const { alert, transition_id } = change.transition;
        expect([alert.reason, alert.decision]).toEqual([reason, reason === null ? 'planned' : 'skipped']);
        const sent = reason === null ? policy.channels : [];
        expect(alert.deliveries).toEqual(
          sent.map(({ id }) => deliveryIdOf(transition_id, change.at, 'state_change', 0, id)),
        );
        const { last_planned_at, last_warned_at } = change.check.alerts;
        expect({ last_planned_at, last_warned_at }).toEqual(cooldownBefore(one, counted, policy, reason));

        const puts = change.writes.flatMap((write) => ('put' in write ? [write.put] : []));
        const alerts = puts.filter((put) => isAlert(put));
        const told = check.alerts.announced?.inFlight.at(-1)?.announces ?? check.alerts.announced?.baseline ?? 'up';
        const closes = !enabled && told !== 'up' && !policy.silenced && policy.channels.length > 0;
        expect(alerts.map(({ kind }) => kind)).toEqual(reason === null ? ['state_change'] : closes ? ['closed'] : []);

        const entryOf = (kind: string) =>
          puts.find((put) => 'kind' in put && put.kind === kind && 'deadline' in put) as DeadlineEntry | undefined;
        const wanted = to === 'down' && policy.repeat_interval_seconds > 0;
        expect(entryOf('repeat')?.deadline).toBe(
          wanted ? change.at + policy.repeat_interval_seconds * 1000 : undefined,
        );
        const lookAt =
          reason === 'cooldown'
            ? freeAt(counted, policy, shown(one.from, policy), shown(to, policy), change.at)
            : policy.flap_threshold > 0 && change.check.alerts.flapping?.told
              ? change.check.alerts.flapping.until
              : undefined;
        const expected =
          lookAt === undefined || !policy.catch_up ? undefined : Math.min(lookAt, catchUp?.deadline ?? lookAt);
        expect(entryOf('catch_up')?.deadline).toBe(expected);

        catchUp = entryOf('catch_up') ?? catchUp;
        repeat = entryOf('repeat');
        entity = change.entity;
        check = { ...check, ...change.check };
        now = change.at;
      }
    }),
    { numRuns: 2000 },
  );
  expect(REASONS.filter((reason) => !decisions.has(reason))).toEqual([]);
});

/** Each was met, so that each was compared. */
const REASONS = [
  null,
  'configuration',
  'silenced',
  'initial',
  'degraded_off',
  'recovery_off',
  'flapping',
  'cooldown',
  'no_channels',
];

const ENTITY: EntityItem = {
  ...keys.entity('acc_a', 'ent_a'),
  v: 'e0',
  tenant_id: 'acc_a',
  id: 'ent_a',
  blueprint_slug: 'service',
  slug: 'shop',
  name: 'Shop',
  fields: {},
  labels: {},
  state: 'unknown',
  state_since: iso(NOW),
  checks: { chk_a: 'unknown' },
  check_load: 0,
  dependencies: 0,
  dependents: 0,
  seq: 0,
  last_transition_at: 0,
  created_at: iso(NOW),
  updated_at: iso(NOW),
};
