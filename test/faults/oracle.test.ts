import { describe, expect, it } from 'vitest';
import type { History } from '#test/oracle/history.ts';
import { violationsOf } from '#test/oracle/promises.ts';
import { slotsOf } from '#test/oracle/rules.ts';

const SECOND = 1000;
const NOON = Date.UTC(2026, 10, 21, 12);
const iso = (at: number): string => new Date(at).toISOString();
const [FIRST = 0, NEXT = 0, ...LATER] = slotsOf('chk_1', 10, NOON, NOON + 60 * SECOND);

/**
 * Returns a history in which a check comes up and goes down, is reported and triggers an action; another check gets a
 * push, then misses heartbeats.
 */
function history() {
  const link = { entity_id: 'ent_1', check_id: 'chk_1' as string, cause: 'result', n: 1 } as const;
  const up = { from_state: 'unknown', to_state: 'up', check_from_state: 'unknown', check_to_state: 'up' } as const;
  const down = { from_state: 'up', to_state: 'down', check_from_state: 'up', check_to_state: 'down' } as const;
  const run = { id: 'exe_1', action_id: 'act_1', transition_id: 'trn_2', trigger: 'state_change', status_code: 200 };
  const ended = { dispatch_status: 'success', error_message: '', pipeline_status: 'succeeded', log_count: 2 };
  const execution = { ...run, ...ended, created_at: iso(NOON + SECOND), finished_at: iso(NOON + 2 * SECOND) };
  const missed = { check_id: 'chk_2', at: NOON + 30 * SECOND, failsAfter: (since: number) => since + 10 * SECOND };
  const record: object = { success: true, error_message: 'all well' };
  return {
    read_at: NOON + 60 * SECOND,
    complete_until: NOON + 60 * SECOND,
    over_before: { alerts: NOON + 50 * SECOND, runs: NOON + 50 * SECOND, slots: NOON + 60 * SECOND },
    failed: 'process' as const,
    away: [{ from: NOON + 40 * SECOND, to: NOON + 45 * SECOND }],
    outages: [{ from: NOON + 40 * SECOND, to: NOON + 45 * SECOND }],
    channels: 1,
    transitions: [
      {
        ...{ ...link, ...up, transition_id: 'trn_1', timestamp: iso(NOON - SECOND), at: NOON - SECOND },
        alert: { decision: 'skipped', reason: 'initial', deliveries: [] as string[] },
      },
      {
        ...{ ...link, ...down, transition_id: 'trn_2', timestamp: iso(NOON), at: NOON },
        alert: { decision: 'planned', reason: null as string | null, deliveries: ['dlv_1'] },
      },
    ],
    states: new Map([
      ['ent_1', { state: 'down' }],
      ['chk_1', { state: 'down' }],
    ]),
    deliveries: [{ id: 'dlv_1', kind: 'state_change', status: 'sent', attempts: 1, error: '', created_at: iso(NOON) }],
    received: [{ delivery_id: 'dlv_1', at: NOON + SECOND, status: 200 }],
    executions: [{ n: 1, at: NOON + SECOND, began: execution, last: execution }],
    actions: new Map([
      [
        'act_1',
        [
          {
            n: 0,
            at: 0,
            action: { trigger_type: 'state_change', check_id: 'chk_1', trigger_to_state: 'down', created_at: iso(0) },
          },
        ],
      ],
    ]),
    calls: [{ execution_id: 'exe_1', n: NOON, at: NOON, status: 200 }],
    reports: [{ execution_id: 'exe_1', status: 'succeeded', lines: ['one', 'two'], tries: 1, status_code: 200 }],
    manualExecutions: [{ id: 'exe_1', dispatch_status: 'success' }],
    pushes: [
      {
        ...{
          check_id: 'chk_2',
          push: 'all well',
          identified: true,
          body: record,
          started_n: 1,
          started_at: NOON + SECOND,
        },
        answered: { n: 2, at: NOON + 2 * SECOND, status: 201, result_id: 'res_1' },
      },
    ],
    results: [{ id: 'res_1', check_id: 'chk_2', n: 1, mark: 'all well', kept: true, record }],
    missedHeartbeats: [missed],
    pullChecks: [
      {
        ...{ id: 'chk_1', interval_seconds: 10, from: NOON, to: NOON + 60 * SECOND },
        results: new Map([NEXT, ...LATER].map((slot) => [slot, 1])),
        gaps: [{ from: FIRST, to: FIRST + 1, cause: 'late' }],
      },
    ],
  };
}
type Recorded = ReturnType<typeof history>;

describe('the oracle of the simulation and the crash test', () => {
  it('finds nothing if every promise is kept', () => {
    expect(violationsOf(history() as unknown as History)).toEqual([]);
  });

  it.each<[string, (recorded: Recorded) => unknown]>([
    ['chains: entity ent_1: trn_2 begins at up', ({ transitions }) => transitions.shift()],
    ['chains: a transition exists twice', ({ transitions }) => transitions.push(transitions[1]!)],
    [
      'chains: chk_1 is up, but its last transition leads to down',
      ({ states }) => states.set('chk_1', { state: 'up' }),
    ],
    [
      'alerts: transition trn_2 has an unexpected decision',
      ({ transitions }) => Object.assign(transitions[1]!.alert, { reason: 'cooldown' }),
    ],
    ['alerts: trn_2: delivery dlv_1 was planned but never created', ({ deliveries }) => deliveries.pop()],
    ['alerts: delivery dlv_1 is sent, but no receiver accepted it', ({ received }) => received.pop()],
    ['alerts: state_change delivery dlv_1 is still pending', ({ deliveries }) => (deliveries[0]!.status = 'pending')],
    ['alerts: delivery dlv_1 failed without an error', ({ deliveries }) => (deliveries[0]!.status = 'failed')],
    [
      'alerts: delivery dlv_1 was accepted, and again',
      ({ received }) => received.push({ ...received[0]!, at: NOON + 9 * SECOND }),
    ],
    ['alerts: delivery dlv_2 was received but is not logged', ({ received }) => (received[0]!.delivery_id = 'dlv_2')],
    ['actions: transition trn_2 triggered action act_1 0 times', ({ executions }) => executions.pop()],
    ['actions: transition trn_2 triggered action act_1 2 times', ({ executions }) => executions.push(executions[0]!)],
    [
      'actions: execution exe_1 ran for transition trn_2, which does not',
      ({ transitions }) => (transitions[1]!.check_id = 'chk_3'),
    ],
    ['is still pending', ({ executions }) => (executions[0]!.last.dispatch_status = 'pending')],
    ['actions: execution exe_1 was sent 2 times', ({ calls }) => calls.push(calls[0]!)],
    [
      'actions: execution exe_1 was returned as failed',
      ({ manualExecutions }) => (manualExecutions[0]!.dispatch_status = 'failed'),
    ],
    ['reports: execution exe_1 has 2 lines; 3 were acknowledged', ({ reports }) => reports[0]!.lines.push('three')],
    [
      'reports: execution exe_1 has the pipeline status succeeded after failed',
      ({ reports }) => (reports[0]!.status = 'failed'),
    ],
    ['pushes: push "all well" was acknowledged but is not stored', ({ results }) => results.pop()],
    [
      'pushes: push "all well" became 2 results, at most 1 are allowed',
      ({ results }) => results.push({ ...results[0]!, id: 'res_2' }),
    ],
    [
      'pushes: push "all well" returned result res_1, which is stored as',
      ({ results }) => (results[0]!.record = { success: false }),
    ],
    ['was acknowledged before', ({ missedHeartbeats }) => (missedHeartbeats[0]!.at = NOON + 5 * SECOND)],
    ['the check was not monitored until', ({ missedHeartbeats }) => (missedHeartbeats[0]!.at = NOON + 50 * SECOND)],
    ['has no result and is not a gap', ({ pullChecks }) => pullChecks[0]!.gaps.pop()],
    ['has 2 results', ({ pullChecks }) => pullChecks[0]!.results.set(NEXT, 2)],
    ['is not an outage', ({ outages }) => outages.pop()],
  ])('finds: %s', (sentence, change) => {
    const recorded = history();
    change(recorded);
    expect(violationsOf(recorded as unknown as History)).toContainEqual(expect.stringContaining(sentence));
  });

  it('accepts a delivery covered by another message, only at the same destination', () => {
    const recorded = history();
    const delivery = { ...recorded.deliveries[0]!, group_id: 'grp_1', leads_to: 'here' };
    recorded.transitions[1]!.alert.deliveries.push('dlv_2');
    Object.assign(recorded, { channels: 2 });
    recorded.deliveries = [delivery, { ...delivery, id: 'dlv_2' }];
    expect(violationsOf(recorded as unknown as History)).toEqual([]);
    Object.assign(recorded.deliveries[1]!, { leads_to: 'elsewhere' });
    expect(violationsOf(recorded as unknown as History)).toEqual([
      'alerts: delivery dlv_2 is sent, but no receiver accepted it',
    ]);
  });

  it('accepts that an alert is sent again after a restart', () => {
    const recorded = history();
    recorded.received.push({ delivery_id: 'dlv_1', at: NOON + 50 * SECOND, status: 200 });
    expect(violationsOf(recorded as unknown as History)).toEqual([]);
  });
});
