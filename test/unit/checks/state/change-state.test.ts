import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type AlertItem, deliveryIdOf, isAlert } from '#lib/alerting/decide/alert-item.ts';
import type { ChangeBasis } from '#lib/alerting/decide/decide-change.ts';
import { NO_ALERTING } from '#lib/alerting/policy/account-alerting.ts';
import { effectivePolicy } from '#lib/alerting/policy/effective-policy.ts';
import { emptyPolicy, type PolicyItem, policyUnchanged } from '#lib/alerting/policy/policy.ts';
import type { EntityItem } from '#lib/catalog/entity.ts';
import type { CheckState } from '#lib/catalog/states.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import type { ChangedState, StateChangeInput } from '#lib/checks/state/change-state.ts';
import { aggregate } from '#lib/checks/state/next-state.ts';
import { keyTable } from '#lib/keys.ts';
import { iso } from '#lib/platform/time.ts';
import { changedBy } from '#test/support/changed-by.ts';
import { shopEntity } from '#test/support/shop-entity.ts';

const keys = keyTable({ BUCKETS: 2, SHARDS: 2 });
const START = Date.UTC(2026, 10, 21);
const channel = { id: 'chn_1', channel_type: 'webhook', config: { url: 'https://a.test/' }, created_at: iso(START) };

const checkNamed = (id: string): CheckItem => ({
  ...keys.check('acc_a', id),
  v: `${id}-0`,
  tenant_id: 'acc_a',
  entity_id: 'ent_a',
  id,
  check_type: 'push',
  execution_mode: 'push',
  interval_seconds: 60,
  timeout_ms: 5000,
  failure_threshold: 1,
  recovery_threshold: 1,
  enabled: true,
  config: {},
  created_at: iso(START),
  updated_at: iso(START),
  rev: 1,
  settings_at: START,
  state: 'unknown',
  state_since: iso(START),
  consecutive_failures: 0,
  alerts: {},
});

const entityOf = (checks: CheckItem[]): EntityItem =>
  shopEntity(
    checks.map(({ id }) => id),
    START,
  );

const basisOf = (entity: EntityItem, policy?: PolicyItem): ChangeBasis => ({
  entity,
  policy: effectivePolicy(policy, { check: checkNamed('chk_0'), entity, account: NO_ALERTING, now: START }),
  policyUnchanged: policyUnchanged(keys, checkNamed('chk_0'), policy),
  deadlines: {},
});

const changeOf = (check: CheckItem, to: CheckState, more: Partial<StateChangeInput> = {}): StateChangeInput => ({
  check,
  to,
  cause: 'result',
  error_message: '',
  now: START,
  retention_days: 30,
  ...more,
});

/** Alerts written with a change. */
const alertsIn = ({ writes }: ChangedState): AlertItem[] =>
  writes.flatMap((write) => ('put' in write && isAlert(write.put) ? [write.put] : []));

describe('transitions of an entity with several checks', () => {
  const step = fc.record({
    which: fc.integer({ min: 0, max: 2 }),
    to: fc.constantFrom<CheckState>('up', 'down', 'unknown'),
    // The clocks of two writers can differ.
    now: fc.integer({ min: START - 5000, max: START + 5000 }),
  });

  it('form unbroken chains in strictly ascending time for any clocks', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        const checks = [0, 1, 2].map((n) => checkNamed(`chk_${n}`));
        let entity = entityOf(checks);
        let last = 0;
        let seq = 0;
        for (const { which, to, now } of steps) {
          const check = checks[which]!;
          if (check.state === to) continue;
          const change = changedBy(keys, `token-${seq}`, basisOf(entity), changeOf(check, to, { now }));
          const { transition } = change;
          expect(transition.check_from_state).toBe(check.state);
          expect(transition.check_to_state).toBe(to);
          expect(transition.from_state).toBe(entity.state);
          expect(transition.to_state).toBe(aggregate({ ...entity.checks, [check.id]: to }));
          expect(transition.seq).toBe(++seq);
          expect(change.at).toBeGreaterThan(last);
          expect(change.at).toBeGreaterThanOrEqual(now);
          expect(transition.timestamp).toBe(iso(change.at));
          expect(change.entity.state).toBe(transition.to_state);
          expect(change.entity.checks[check.id]).toBe(to);
          if (transition.to_state === entity.state) expect(change.entity.state_since).toBe(entity.state_since);
          else expect(change.entity.state_since).toBe(transition.timestamp);
          last = change.at;
          entity = change.entity;
          checks[which] = { ...check, ...change.check };
        }
      }),
    );
  });

  it('remove a deleted check from its entity', () => {
    const checks = [checkNamed('chk_0'), checkNamed('chk_1')];
    const entity: EntityItem = { ...entityOf(checks), state: 'degraded', checks: { chk_0: 'down', chk_1: 'up' } };
    const gone = changeOf({ ...checks[0]!, state: 'down' }, 'unknown', { cause: 'check_deleted' });
    const change = changedBy(keys, 'token', basisOf(entity), gone);
    expect(change.entity.checks).toEqual({ chk_1: 'up' });
    expect(change.transition).toMatchObject({ from_state: 'degraded', to_state: 'up', check_to_state: 'unknown' });
  });
});

describe('the writes of a transition', () => {
  const check: CheckItem = { ...checkNamed('chk_0'), state: 'up' };
  const entity: EntityItem = { ...entityOf([check]), state: 'up', checks: { chk_0: 'up' }, seq: 4 };
  const policy: PolicyItem = { ...emptyPolicy(keys, check), v: 'policy-7', channels: [channel] };

  it('require the versions of entity and policy that were read', () => {
    const { writes } = changedBy(keys, 'token', basisOf(entity, policy), changeOf(check, 'down'));
    expect(writes).toContainEqual({ check: keys.policy('acc_a', 'chk_0'), if: { version: 'policy-7' } });
    expect(writes.find((write) => 'put' in write && write.put.sk === 'ent_a')).toMatchObject({
      put: { v: 'token', seq: 5 },
      if: { version: 'entity-0' },
    });
    expect(writes.filter((write) => 'put' in write && write.if === 'absent')).toHaveLength(2);
  });

  it('require that no policy was stored if none was read', () => {
    const { writes } = changedBy(keys, 'token', basisOf(entity), changeOf(check, 'down'));
    expect(writes).toContainEqual({ check: keys.policy('acc_a', 'chk_0'), if: 'absent' });
  });

  it('contain the decision and the stored alerting state of the check', () => {
    const change = changedBy(keys, 'token', basisOf(entity, policy), changeOf(check, 'down'));
    const { transition, at } = change;
    expect(transition.alert).toMatchObject({
      decision: 'planned',
      reason: null,
      deliveries: [deliveryIdOf(transition.transition_id, at, 'state_change', 0, 'chn_1')],
    });
    expect(change.check.alerts.last_planned_at).toBe(at);
    expect(alertsIn(change)).toMatchObject([
      {
        kind: 'state_change',
        transition_sk: transition.sk,
        reports_state: 'down',
        to: [{ channel_id: 'chn_1', channel_type: 'webhook', delivery_id: transition.alert.deliveries[0] }],
      },
    ]);

    const again = { ...check, ...change.check };
    const next = changedBy(keys, 'token2', basisOf(change.entity, policy), changeOf(again, 'up', { now: at + 1000 }));
    expect(next.transition.alert).toEqual({
      decision: 'skipped',
      reason: 'cooldown',
      deliveries: [],
      urgency: 'high',
      attributed_to: null,
      facts: { last_alert_at: iso(at), cooldown_seconds: 300, cooldown_until: iso(at + 300_000) },
      decided_at: iso(next.at),
    });
    expect(alertsIn(next)).toEqual([]);
    const { episode, ...remembered } = change.check.alerts;
    expect(episode).toEqual({ transition_id: transition.transition_id });
    expect(next.check.alerts).toEqual(remembered);
  });

  it('contain a closing alert when a user disables a check that was reported down', () => {
    const announced = { baseline: 'down' as const, latest: [] };
    const reportedDown: CheckItem = { ...check, state: 'down', alerts: { announced } };
    const change = changedBy(
      keys,
      'token',
      basisOf(entity, policy),
      changeOf(reportedDown, 'unknown', { cause: 'check_disabled' }),
    );
    expect(change.transition.alert).toMatchObject({ decision: 'skipped', reason: 'configuration', deliveries: [] });
    const [closing] = alertsIn(change);
    expect(closing).toMatchObject({ kind: 'closed', reports_state: 'up', to: [{ channel_id: 'chn_1' }] });
    expect(change.check.alerts.announced?.latest).toEqual([{ id: closing!.id, reports_state: 'up' }]);
  });

  it('name the same transition when repeated, and another one for another writer', () => {
    const made = (token: string) => changedBy(keys, token, basisOf(entity), changeOf(check, 'down')).transition;
    expect(made('a')).toEqual(made('a'));
    expect(made('a').transition_id).not.toBe(made('b').transition_id);
    expect(made('a').sk).toBe(made('b').sk);
  });
});
