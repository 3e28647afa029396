import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { State } from '#console/api/records.ts';
import { byName, countsOf, filtered, fleetOf, grouped, inOrder, isHeading, patched } from '#console/rules/fleet.ts';
import { BY_SEVERITY, parseStates, tabTitle } from '#console/rules/states.ts';
import { entity, transition } from './world.ts';

const states = fc.constantFrom<State>(...BY_SEVERITY);
const entities = fc
  .uniqueArray(fc.record({ id: fc.stringMatching(/^ent_[a-z0-9]{4}$/), name: fc.string(), state: states }), {
    selector: ({ id }) => id,
  })
  .map((rows) => rows.map(({ id, ...more }) => entity(id, more)));

describe('fleet', () => {
  it('lists each entity once, worst state first', () => {
    fc.assert(
      fc.property(entities, (all) => {
        const rows = inOrder(fleetOf(all));
        const ranks = rows.map(({ state }) => BY_SEVERITY.indexOf(state));
        expect(ranks).toEqual(ranks.toSorted((a, b) => a - b));
        expect(rows.map(({ id }) => id).toSorted()).toEqual(all.map(({ id }) => id).toSorted());
      }),
    );
  });

  it('lists entities without a result last', () => {
    const created_at = '2026-11-22T09:00:00.000Z';
    const rows = inOrder(
      fleetOf([
        entity('new', { state: 'unknown', state_since: created_at, created_at }),
        entity('disabled', { state: 'unknown', state_since: '2026-11-22T10:00:00.000Z', created_at }),
        entity('fine'),
      ]),
    );
    expect(rows.map(({ id }) => id)).toEqual(['disabled', 'fine', 'new']);
  });

  it('counts each entity once', () => {
    fc.assert(
      fc.property(entities, (all) => {
        const { total, ...counts } = countsOf(all);
        expect(total).toBe(all.length);
        expect(Object.values(counts).reduce((a, b) => a + b)).toBe(total);
      }),
    );
  });

  it('sorts names in natural order', () => {
    expect(['web-10', 'Web-2', 'api'].toSorted(byName)).toEqual(['api', 'Web-2', 'web-10']);
  });

  it('shows the error of an entity, replaced by a newer one, until it recovers', () => {
    const fleet = fleetOf([entity('a', { state: 'down', error_message: 'refused' }), entity('b')]);
    const other = patched(fleet, [transition('tr_1', 'b', ['up', 'down'])]);
    expect(other?.get('a')?.error_message).toBe('refused');
    const worse = patched(other!, [transition('tr_2', 'a', ['down', 'down'])]);
    expect(worse?.get('a')?.error_message).toBe('tr_2 failed');
    expect(patched(worse!, [transition('tr_3', 'a', ['down', 'up'])])?.get('a')?.error_message).toBe('');
  });

  it('keeps the start of a state when another check continues it', () => {
    const fleet = fleetOf([entity('a', { state: 'down', state_since: '2026-11-22T11:00:00.000Z' })]);
    const next = patched(fleet, [transition('tr_1', 'a', ['down', 'down'])]);
    expect(next?.get('a')?.state_since).toBe('2026-11-22T11:00:00.000Z');
  });

  it('ignores transitions that are older than the state', () => {
    const fleet = fleetOf([entity('a', { state_since: '2026-11-22T13:00:00.000Z' })]);
    expect(patched(fleet, [transition('tr_1', 'a', ['up', 'down'])])?.get('a')?.state).toBe('up');
  });

  it('searches all words in name, slug, blueprint and message', () => {
    const rows = [entity('a', { name: 'Web Shop' }), { ...entity('b'), error_message: 'expected status 200, got 500' }];
    const found = (words: string) => filtered(rows, { states: new Set(), words }).map(({ id }) => id);
    expect(found('')).toEqual(['a', 'b']);
    expect(found(' shop  WEB ')).toEqual(['a']);
    expect(found('got 500')).toEqual(['b']);
    expect(found('service')).toEqual(['a', 'b']);
    expect(found('web 500')).toEqual([]);
  });

  it('filters by states', () => {
    const rows = [entity('a'), entity('b', { state: 'down' })];
    const shown = (text: string) => filtered(rows, { states: parseStates(text), words: '' }).map(({ id }) => id);
    expect(shown('down')).toEqual(['b']);
    expect(shown('down,up,sideways')).toEqual(['a', 'b']);
    expect(shown('')).toEqual(['a', 'b']);
  });

  it('groups by blueprint, worst group first, and collapses groups', () => {
    const rows = inOrder(
      fleetOf([
        entity('a', { blueprint_slug: 'api' }),
        entity('b', { blueprint_slug: 'web', state: 'down' }),
        entity('c', { blueprint_slug: 'web' }),
      ]),
    );
    const shown = (closed: string[]) =>
      grouped(rows, new Set(closed)).map((line) => (isHeading(line) ? line.group : line.id));
    expect(shown([])).toEqual(['web', 'b', 'c', 'api', 'a']);
    expect(shown(['web'])).toEqual(['web', 'api', 'a']);
  });

  it('shows the number of down entities first in the tab title', () => {
    expect(tabTitle('Fleet', 0)).toBe('Fleet · Fleetwatch');
    expect(tabTitle('Fleet', 3)).toBe('(3 down) Fleet · Fleetwatch');
  });
});
