import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Selector, selectionReason, selects } from '#lib/checks/selector.ts';

const one = {
  check: { id: 'chk_a', labels: { team: 'pay', tier: '1' } },
  entity: { id: 'ent_a', blueprint_slug: 'service', labels: { team: 'shop', site: 'eu' } },
};

describe('selects', () => {
  it.each<[Selector | null, boolean]>([
    [null, true],
    [{ labels: { team: 'pay' } }, true],
    [{ labels: { team: 'shop' } }, false],
    [{ labels: { site: ['us', 'eu'] } }, true],
    [{ labels: { team: 'pay', site: 'us' } }, false],
    [{ labels: { owner: 'ann' } }, false],
    [{ blueprints: ['host', 'service'] }, true],
    [{ entity_ids: ['ent_b'] }, false],
    [{ check_ids: ['chk_a'], entity_ids: ['ent_b'] }, false],
    [{ states: ['down'] }, true],
  ])('selects by %j the check with team=pay of the entity with team=shop and site=eu: %s', (selector, holds) => {
    expect(selects(selector, one)).toBe(holds);
  });

  it('requires of every property that one of its values matches', () => {
    const id = (prefix: string) => fc.array(fc.constantFrom(`${prefix}_a`, `${prefix}_b`), { minLength: 1 });
    const selection = fc.record(
      {
        entity_ids: id('ent'),
        check_ids: id('chk'),
        blueprints: fc.array(fc.constantFrom('service', 'host'), { minLength: 1 }),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(selection, (selector) => {
        const fulfilled = Object.entries(selector).map(([name, values]) =>
          (values as string[]).some((value) => selects({ [name]: [value] }, one)),
        );
        expect(selects(selector, one)).toBe(fulfilled.every(Boolean));
      }),
    );
  });

  it('formats the reason', () => {
    expect(selectionReason(null, one)).toBe('every check');
    expect(selectionReason({ states: ['down'] }, one)).toBe('every check, only down');
    expect(selectionReason({ labels: { team: ['pay', 'x'] }, blueprints: ['service'] }, one)).toBe(
      'label team=pay, blueprint service',
    );
  });
});
