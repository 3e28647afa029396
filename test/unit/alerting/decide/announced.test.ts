import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lastNotifiedState, withAlertInFlight, withoutAlertInFlight } from '#lib/alerting/decide/notified-state.ts';
import type { NotifiedStates } from '#lib/checks/check-item.ts';

const telling = (reports_state: ('up' | 'down')[]): NotifiedStates | undefined => {
  let told: NotifiedStates | undefined;
  for (const [i, state] of reports_state.entries())
    told = withAlertInFlight(told ? { announced: told } : {}, { id: `trn_${i}`, reports_state: state });
  return told;
};
const states = fc.array(fc.constantFrom<'up' | 'down'>('up', 'down'), { minLength: 1, maxLength: 10 });

describe('what the channels were told', () => {
  it('is up before any alert', () => {
    expect(lastNotifiedState({})).toBe('up');
  });

  it('is the latest alert', () => {
    fc.assert(
      fc.property(states, (list) => {
        expect(lastNotifiedState({ announced: telling(list)! })).toBe(list.at(-1));
      }),
    );
  });

  it('is the one before when the latest failed', () => {
    fc.assert(
      fc.property(states, (list) => {
        const told = withoutAlertInFlight(telling(list)!, `trn_${list.length - 1}`);
        expect(lastNotifiedState({ announced: told })).toBe(list.at(-2) ?? 'up');
      }),
    );
  });

  it('does not change by the failure of an older one, and stays the same object by that of a stranger', () => {
    const told = telling(['down', 'up', 'down'])!;
    expect(lastNotifiedState({ announced: withoutAlertInFlight(told, 'trn_0') })).toBe('down');
    expect(withoutAlertInFlight(told, 'trn_9')).toBe(told);
  });

  it('is what nobody can be sure of when five alerts that alternate all fail', () => {
    let told = telling(['down', 'up', 'down', 'up', 'down'])!;
    for (let i = 0; i < 5; i++) told = withoutAlertInFlight(told, `trn_${i}`);
    expect(lastNotifiedState({ announced: told })).toBe('unknown');
    expect(
      lastNotifiedState({ announced: withAlertInFlight({ announced: told }, { id: 'trn_5', reports_state: 'down' }) }),
    ).toBe('down');
  });
});

describe('whatever alerts are planned, and in whatever order they fail', () => {
  type Alert = { id: string; reports_state: 'up' | 'down'; failed: boolean };

  /** An alert is planned, or one of the last `back` turns out to have failed on every channel. */
  const stories = (back: number) =>
    fc.array(
      fc.oneof(
        fc.record({ reports_state: fc.constantFrom<'up' | 'down'>('up', 'down') }),
        fc.record({ back: fc.integer({ min: 0, max: back - 1 }) }),
      ),
      { maxLength: 40 },
    );

  function play(
    steps: ({ reports_state: 'up' | 'down' } | { back: number })[],
    see: (alerts: Alert[], told?: NotifiedStates) => void,
  ) {
    const alerts: Alert[] = [];
    let told: NotifiedStates | undefined;
    for (const one of steps) {
      if ('reports_state' in one) {
        alerts.push({ id: `trn_${alerts.length}`, reports_state: one.reports_state, failed: false });
        told = withAlertInFlight(told ? { announced: told } : {}, alerts.at(-1)!);
      } else {
        const alert = alerts.at(-1 - one.back);
        if (!alert || !told) continue;
        alert.failed = true;
        told = withoutAlertInFlight(told, alert.id);
      }
      see(alerts, told);
    }
  }

  const truth = (alerts: Alert[]) => alerts.findLast(({ failed }) => !failed)?.reports_state ?? 'up';
  const believed = (told?: NotifiedStates) => lastNotifiedState(told ? { announced: told } : {});

  it('what is told is the latest that has not failed, or said to be uncertain', () => {
    fc.assert(
      fc.property(stories(12), (steps) => {
        play(steps, (alerts, told) => expect([truth(alerts), 'unknown']).toContain(believed(told)));
      }),
    );
  });

  it('it is never uncertain as long as one of the latest four stands, or no more than four were planned', () => {
    fc.assert(
      fc.property(stories(12), (steps) => {
        play(steps, (alerts, told) => {
          if (alerts.length <= 4 || alerts.slice(-4).some(({ failed }) => !failed))
            expect(believed(told)).toBe(truth(alerts));
        });
      }),
    );
  });

  it('when all have failed, nothing counts as told of a check that is down, so that it is told', () => {
    const planned = fc.array(fc.constantFrom<'up' | 'down'>('up', 'down'), { maxLength: 12 });
    const failing = planned.chain((list) =>
      fc.tuple(fc.constant(list), fc.shuffledSubarray([...list.keys()], { minLength: list.length })),
    );
    fc.assert(
      fc.property(failing, ([list, order]) => {
        let told = telling(list);
        for (const i of order) told = told && withoutAlertInFlight(told, `trn_${i}`);
        expect(believed(told)).not.toBe('down');
      }),
    );
  });

  it('a check remembers four alerts at most', () => {
    fc.assert(
      fc.property(stories(12), (steps) => {
        play(steps, (_alerts, told) => expect(told?.inFlight.length ?? 0).toBeLessThanOrEqual(4));
      }),
    );
  });
});
