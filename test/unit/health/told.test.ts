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

  it('is the state in the latest alert that has not failed, in whatever order they fail', () => {
    // An alert is planned, or one of the latest four turns out to have failed on every channel.
    const planned = fc.record({ tells: fc.constantFrom<'up' | 'down'>('up', 'down') });
    const step = fc.oneof(planned, fc.record({ back: fc.integer({ min: 0, max: 3 }) }));
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        const alerts: { id: string; tells: 'up' | 'down'; failed: boolean }[] = [];
        let told: Told | undefined;
        for (const one of steps) {
          if ('tells' in one) {
            const id = `trn_${alerts.length}`;
            alerts.push({ id, tells: one.tells, failed: false });
            told = tell(told ? { told } : {}, { id, tells: one.tells });
          } else {
            const alert = alerts.at(-1 - one.back);
            if (!alert || !told) continue;
            alert.failed = true;
            told = untell(told, alert.id);
          }
          expect(toldState(told ? { told } : {})).toBe(alerts.findLast(({ failed }) => !failed)?.tells ?? 'up');
          expect(told?.open.length ?? 0).toBeLessThanOrEqual(4);
        }
      }),
    );
  });
});
