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
});
