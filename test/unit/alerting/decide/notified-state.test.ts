import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lastNotifiedState, withLatestAlert, withoutFailedAlert } from '#lib/alerting/decide/notified-state.ts';
import type { NotifiedStates } from '#lib/checks/check-item.ts';

const afterAlerts = (reports_state: ('up' | 'down')[]): NotifiedStates | undefined => {
  let notified: NotifiedStates | undefined;
  for (const [i, state] of reports_state.entries())
    notified = withLatestAlert(notified ? { announced: notified } : {}, { id: `trn_${i}`, reports_state: state });
  return notified;
};
const states = fc.array(fc.constantFrom<'up' | 'down'>('up', 'down'), { minLength: 1, maxLength: 10 });

describe('lastNotifiedState', () => {
  it('is up before the first alert', () => {
    expect(lastNotifiedState({})).toBe('up');
  });

  it('is the state in the latest alert', () => {
    fc.assert(
      fc.property(states, (list) => {
        expect(lastNotifiedState({ announced: afterAlerts(list)! })).toBe(list.at(-1));
      }),
    );
  });

  it('is the previous notified state when the latest alert failed', () => {
    fc.assert(
      fc.property(states, (list) => {
        const notified = withoutFailedAlert(afterAlerts(list)!, `trn_${list.length - 1}`);
        expect(lastNotifiedState({ announced: notified })).toBe(list.at(-2) ?? 'up');
      }),
    );
  });

  it('ignores the failure of an older or unknown alert', () => {
    const notified = afterAlerts(['down', 'up', 'down'])!;
    expect(lastNotifiedState({ announced: withoutFailedAlert(notified, 'trn_0') })).toBe('down');
    expect(withoutFailedAlert(notified, 'trn_9')).toBe(notified);
  });

  it('is unknown when five alternating alerts have all failed', () => {
    let notified = afterAlerts(['down', 'up', 'down', 'up', 'down'])!;
    for (let i = 0; i < 5; i++) notified = withoutFailedAlert(notified, `trn_${i}`);
    expect(lastNotifiedState({ announced: notified })).toBe('unknown');
    expect(
      lastNotifiedState({
        announced: withLatestAlert({ announced: notified }, { id: 'trn_5', reports_state: 'down' }),
      }),
    ).toBe('down');
  });
});

describe('lastNotifiedState after any sequence of alerts and failures', () => {
  type Alert = { id: string; reports_state: 'up' | 'down'; failed: boolean };

  /** Sequences of steps: an alert is planned, or one of the last `back` alerts fails on every channel. */
  const sequences = (back: number) =>
    fc.array(
      fc.oneof(
        fc.record({ reports_state: fc.constantFrom<'up' | 'down'>('up', 'down') }),
        fc.record({ back: fc.integer({ min: 0, max: back - 1 }) }),
      ),
      { maxLength: 40 },
    );

  /** Performs the steps, and calls `inspect` after each. */
  function play(
    steps: ({ reports_state: 'up' | 'down' } | { back: number })[],
    inspect: (alerts: Alert[], notified?: NotifiedStates) => void,
  ) {
    const alerts: Alert[] = [];
    let notified: NotifiedStates | undefined;
    for (const one of steps) {
      if ('reports_state' in one) {
        alerts.push({ id: `trn_${alerts.length}`, reports_state: one.reports_state, failed: false });
        notified = withLatestAlert(notified ? { announced: notified } : {}, alerts.at(-1)!);
      } else {
        const alert = alerts.at(-1 - one.back);
        if (!alert || !notified) continue;
        alert.failed = true;
        notified = withoutFailedAlert(notified, alert.id);
      }
      inspect(alerts, notified);
    }
  }

  const expectedState = (alerts: Alert[]) => alerts.findLast(({ failed }) => !failed)?.reports_state ?? 'up';
  const lastState = (notified?: NotifiedStates) => lastNotifiedState(notified ? { announced: notified } : {});

  it('is the state in the latest alert that has not failed, or unknown', () => {
    fc.assert(
      fc.property(sequences(12), (steps) => {
        play(steps, (alerts, notified) => expect([expectedState(alerts), 'unknown']).toContain(lastState(notified)));
      }),
    );
  });

  it('is known if one of the latest four alerts has not failed, or if at most four were planned', () => {
    fc.assert(
      fc.property(sequences(12), (steps) => {
        play(steps, (alerts, notified) => {
          if (alerts.length <= 4 || alerts.slice(-4).some(({ failed }) => !failed))
            expect(lastState(notified)).toBe(expectedState(alerts));
        });
      }),
    );
  });

  it('is not down when all alerts have failed, so that a failure is alerted', () => {
    const planned = fc.array(fc.constantFrom<'up' | 'down'>('up', 'down'), { maxLength: 12 });
    const failing = planned.chain((list) =>
      fc.tuple(fc.constant(list), fc.shuffledSubarray([...list.keys()], { minLength: list.length })),
    );
    fc.assert(
      fc.property(failing, ([list, order]) => {
        let notified = afterAlerts(list);
        for (const i of order) notified = notified && withoutFailedAlert(notified, `trn_${i}`);
        expect(lastState(notified)).not.toBe('down');
      }),
    );
  });

  it('stores at most four alerts', () => {
    fc.assert(
      fc.property(sequences(12), (steps) => {
        play(steps, (_alerts, notified) => expect(notified?.latest.length ?? 0).toBeLessThanOrEqual(4));
      }),
    );
  });
});
