import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { State, Transition } from '#console/api/records.ts';
import {
  checksOf,
  firstError,
  foundAt,
  incidentAt,
  incidentsOf,
  isPast,
  lastedMs,
  toldOf,
  withRunning,
} from '#console/rules/incidents.ts';
import { renewed } from '#console/rules/renewed.ts';
import { plannedAlert, skippedAlert } from '#test/support/alert-world.ts';
import { entity, transition } from './world.ts';

const START = Date.parse('2026-11-22T12:00:00.000Z');
const at = (minutes: number): string => new Date(START + minutes * 60_000).toISOString();

let made = 0;
const change = (id: string, minutes: number, states: readonly [State, State], more: Partial<Transition> = {}) =>
  transition(`trn_${++made}`, id, states, { timestamp: at(minutes), ...more });

const isTrouble = (state: State) => state === 'down' || state === 'degraded';
const inTrouble = ({ from_state, to_state }: Transition) => isTrouble(from_state) || isTrouble(to_state);

/** The unbroken chains of some entities: where one transition ends, the next of that entity begins. */
const chains: fc.Arbitrary<Transition[]> = fc
  .array(
    fc.record({
      entity: fc.constantFrom('ent_a', 'ent_b', 'ent_c'),
      state: fc.constantFrom<State>('up', 'degraded', 'down', 'unknown'),
      wait: fc.integer({ min: 1, max: 30 }),
    }),
    { maxLength: 40 },
  )
  .map((steps) => {
    const states = new Map<string, State>();
    let minutes = 0;
    return steps.map(({ entity: id, state, wait }) => {
      minutes += wait;
      const one = change(id, minutes, [states.get(id) ?? 'unknown', state]);
      states.set(id, state);
      return one;
    });
  });

describe('incidents', () => {
  it('every change that has to do with trouble is in one of them, and no other is in any', () => {
    fc.assert(
      fc.property(chains, (all) => {
        const held = incidentsOf(all).flatMap(({ transitions }) => transitions.map(({ id }) => id));
        expect(held.toSorted()).toEqual(
          all
            .filter(inTrouble)
            .map(({ id }) => id)
            .toSorted(),
        );
      }),
    );
  });

  it('one runs for each entity that is in trouble at the end, and those stand first', () => {
    fc.assert(
      fc.property(chains, (all) => {
        const last = new Map(all.map((one) => [one.entity_id, one.to_state]));
        const troubled = [...last].filter(([, state]) => isTrouble(state)).map(([id]) => id);
        const incidents = incidentsOf(all);
        const running = incidents.filter(({ to }) => to === null);
        expect(running.map((one) => one.entity.id).toSorted()).toEqual(troubled.toSorted());
        expect(incidents.slice(0, running.length)).toEqual(running);
      }),
    );
  });

  it('those of an entity follow one another, ten minutes apart at least', () => {
    fc.assert(
      fc.property(chains, (all) => {
        const byEntity = Map.groupBy(incidentsOf(all), (one) => one.entity.id);
        for (const incidents of byEntity.values()) {
          const spans = incidents.map(({ from, to }) => [Date.parse(from), to === null ? Infinity : Date.parse(to)]);
          spans.sort(([a], [b]) => a! - b!);
          for (const [i, [from, to]] of spans.entries()) {
            expect(to).toBeGreaterThanOrEqual(from!);
            if (i > 0) expect(from! - spans[i - 1]![1]!).toBeGreaterThanOrEqual(10 * 60_000);
          }
        }
      }),
    );
  });

  it('are the same in whatever order the transitions come', () => {
    fc.assert(
      fc.property(
        chains.chain((all) => fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length }))),
        ([all, shuffled]) => {
          const told = (list: Transition[]) => incidentsOf(list).map(({ from, to, times }) => [from, to, times]);
          expect(told(shuffled).toSorted()).toEqual(told(all).toSorted());
        },
      ),
    );
  });

  it('without the oldest transitions end as they do with them, and what began before says so', () => {
    fc.assert(
      fc.property(chains, fc.nat(40), (all, cut) => {
        const whole = incidentsOf(all);
        for (const incident of incidentsOf(all.slice(cut))) {
          const same = whole.find(({ transitions }) =>
            transitions.some(({ id }) => id === incident.transitions[0]!.id),
          )!;
          expect(incident.to).toBe(same.to);
          if (incident.isCut) expect(incident.from >= same.from).toBe(true);
        }
      }),
    );
  });

  it('begin with the first failed run, and last until it is well again', () => {
    const [incident] = incidentsOf([
      change('ent_shop', 10, ['up', 'down'], { outage_started_at: at(7) }),
      change('ent_shop', 30, ['down', 'up']),
    ]);
    expect(incident).toMatchObject({ from: at(7), to: at(30), isCut: false, worst: 'down', times: 1, state: 'up' });
    expect(lastedMs(incident!, START)).toBe(23 * 60_000);
  });

  it('hold what fails while it is in trouble already', () => {
    const [incident, ...others] = incidentsOf([
      change('ent_shop', 0, ['up', 'degraded'], { check_id: 'chk_1', error_message: 'got 500' }),
      change('ent_shop', 5, ['degraded', 'down'], { check_id: 'chk_2', error_message: 'timed out' }),
      change('ent_shop', 6, ['down', 'down'], { check_id: 'chk_3' }),
      change('ent_shop', 9, ['down', 'degraded'], { check_id: 'chk_2', check_to_state: 'up' }),
    ]);
    expect(others).toEqual([]);
    expect(incident).toMatchObject({ to: null, worst: 'down', state: 'degraded' });
    expect(checksOf(incident!)).toEqual(['chk_1', 'chk_2', 'chk_3']);
    expect(firstError(incident!)).toBe('got 500');
  });

  it('flap: what comes back within ten minutes is the same one', () => {
    const changes = [0, 9, 18, 40].flatMap((minutes) => [
      change('ent_shop', minutes, ['up', 'down']),
      change('ent_shop', minutes + 1, ['down', 'up']),
    ]);
    expect(incidentsOf(changes)).toMatchObject([
      { from: at(40), to: at(41), times: 1 },
      { from: at(0), to: at(19), times: 3 },
    ]);
  });

  it('say who was told, or why nobody was', () => {
    const planned = plannedAlert(['dlv_1', 'dlv_2'], 0);
    const skipped = skippedAlert('cooldown', 0);
    const of = (alert: Transition['alert']) =>
      toldOf(incidentsOf([change('ent_shop', 0, ['up', 'down'], { alert })])[0]!);
    expect(of(planned)).toEqual({ deliveries: 2, why: '' });
    expect(of(skipped)).toEqual({ deliveries: 0, why: 'cooldown' });
  });

  it('of entities that are down since long before are there too, once each', () => {
    const known = incidentsOf([change('ent_shop', 0, ['up', 'down']), change('ent_mail', 0, ['down', 'up'])]);
    const all = withRunning(known, [
      entity('ent_shop', { state: 'down' }),
      entity('ent_mail'),
      entity('ent_old', { state: 'degraded', state_since: at(-600) }),
    ]);
    expect(all.map((one) => [one.entity.id, one.to === null, one.isCut])).toEqual([
      ['ent_shop', true, false],
      ['ent_old', true, true],
      ['ent_mail', false, true],
    ]);
    expect(checksOf(all[1]!)).toEqual([]);
    expect(firstError(all[1]!)).toBe('');
  });
});

describe('the incident of a moment', () => {
  const story = [
    change('ent_shop', 0, ['up', 'down'], { outage_started_at: at(-5) }),
    change('ent_shop', 3, ['down', 'up']),
    change('ent_shop', 60, ['up', 'degraded']),
    change('ent_shop', 90, ['degraded', 'up']),
  ];
  const [first, , second] = story as [Transition, Transition, Transition, Transition];

  it.each([
    ['that ran then', 1, first],
    ['that was the last before', 30, first],
    ['that began then', 60, second],
    ['that is over', 500, second],
  ] as const)('is the one %s', (_which, minutes, begins) => {
    expect(incidentAt(story, at(minutes))?.transitions[0]).toBe(begins);
  });

  it('is none before the first change', () => {
    expect(incidentAt(story, at(-1))).toBeUndefined();
  });

  it('is found again by when its first change happened', () => {
    fc.assert(
      fc.property(chains, (all) => {
        for (const own of Map.groupBy(all, ({ entity_id }) => entity_id).values()) {
          for (const incident of incidentsOf(own)) expect(incidentAt(own, foundAt(incident))).toEqual(incident);
        }
      }),
    );
  });

  it('needs no more of what came after once ten minutes have passed', () => {
    const [incident] = incidentsOf(story.slice(0, 2));
    expect(isPast(incident!, story.slice(0, 2))).toBe(false);
    expect(isPast(incident!, story)).toBe(true);
  });
});

describe('a list that is read again from its beginning', () => {
  const items = (...ids: number[]) => ids.map((id) => ({ id: `${id}` }));
  const old = items(5, 4, 3, 2, 1);

  it('has what is new in front, and what is older behind', () => {
    expect(renewed(old, items(7, 6, 5, 4), false)).toEqual(items(7, 6, 5, 4, 3, 2, 1));
  });

  it('drops what is not there any more', () => {
    expect(renewed(old, items(6, 5, 3), false)).toEqual(items(6, 5, 3, 2, 1));
    expect(renewed(old, items(6), true)).toEqual(items(6));
  });

  it('is read anew where there is a gap', () => {
    expect(renewed(old, items(9, 8), false)).toBeUndefined();
  });
});
