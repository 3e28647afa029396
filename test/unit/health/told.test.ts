import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Told, tell, toldState, untell } from '#lib/health/told.ts';

const telling = (tells: ('up' | 'down')[]): Told | undefined => {
  let told: Told | undefined;
  for (const [i, state] of tells.entries()) told = tell(told ? { told } : {}, { id: `trn_${i}`, tells: state });
  return told;
};
const states = fc.array(fc.constantFrom<'up' | 'down'>('up', 'down'), { minLength: 1, maxLength: 10 });

describe('what the channels were told', () => {
  it('is up before any alert', () => {
    expect(toldState({})).toBe('up');
  });

  it('is the latest alert', () => {
    fc.assert(
      fc.property(states, (list) => {
        expect(toldState({ told: telling(list)! })).toBe(list.at(-1));
      }),
    );
  });

  it('is the one before when the latest failed', () => {
    fc.assert(
      fc.property(states, (list) => {
        const told = untell(telling(list)!, `trn_${list.length - 1}`);
        expect(toldState({ told })).toBe(list.at(-2) ?? 'up');
      }),
    );
  });

  it('does not change by the failure of an older one, and stays the same object by that of a stranger', () => {
    const told = telling(['down', 'up', 'down'])!;
    expect(toldState({ told: untell(told, 'trn_0') })).toBe('down');
    expect(untell(told, 'trn_9')).toBe(told);
  });

  it('is what nobody can be sure of when five alerts that alternate all fail', () => {
    let told = telling(['down', 'up', 'down', 'up', 'down'])!;
    for (let i = 0; i < 5; i++) told = untell(told, `trn_${i}`);
    expect(toldState({ told })).toBe('uncertain');
    expect(toldState({ told: tell({ told }, { id: 'trn_5', tells: 'down' }) })).toBe('down');
  });
});

describe('whatever alerts are planned, and in whatever order they fail', () => {
  type Alert = { id: string; tells: 'up' | 'down'; failed: boolean };

  /** An alert is planned, or one of the last `back` turns out to have failed on every channel. */
  const stories = (back: number) =>
    fc.array(
      fc.oneof(
        fc.record({ tells: fc.constantFrom<'up' | 'down'>('up', 'down') }),
        fc.record({ back: fc.integer({ min: 0, max: back - 1 }) }),
      ),
      { maxLength: 40 },
    );

  function play(steps: ({ tells: 'up' | 'down' } | { back: number })[], see: (alerts: Alert[], told?: Told) => void) {
    const alerts: Alert[] = [];
    let told: Told | undefined;
    for (const one of steps) {
      if ('tells' in one) {
        alerts.push({ id: `trn_${alerts.length}`, tells: one.tells, failed: false });
        told = tell(told ? { told } : {}, alerts.at(-1)!);
      } else {
        const alert = alerts.at(-1 - one.back);
        if (!alert || !told) continue;
        alert.failed = true;
        told = untell(told, alert.id);
      }
      see(alerts, told);
    }
  }

  const truth = (alerts: Alert[]) => alerts.findLast(({ failed }) => !failed)?.tells ?? 'up';
  const believed = (told?: Told) => toldState(told ? { told } : {});

  it('what is told is the latest that has not failed, or said to be uncertain', () => {
    fc.assert(
      fc.property(stories(12), (steps) => {
        play(steps, (alerts, told) => expect([truth(alerts), 'uncertain']).toContain(believed(told)));
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
        for (const i of order) told = told && untell(told, `trn_${i}`);
        expect(believed(told)).not.toBe('down');
      }),
    );
  });

  it('a check remembers four alerts at most', () => {
    fc.assert(
      fc.property(stories(12), (steps) => {
        play(steps, (_alerts, told) => expect(told?.open.length ?? 0).toBeLessThanOrEqual(4));
      }),
    );
  });
});
