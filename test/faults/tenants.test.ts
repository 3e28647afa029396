import { describe, expect, it } from 'vitest';
import type { Inside } from '#test/oracle/inside.ts';
import { checkTenants } from '#test/oracle/tenants.ts';

const entity = (tenant: string, id: string) => ({ pk: `T#${tenant}#ENTITIES#0`, sk: id });

/** Returns the violations for two accounts with an entity each and this incident in one of them. */
function violationsWith(incident: object): string[] {
  const items = [entity('acc_1', 'ent_1'), entity('acc_2', 'ent_2'), { pk: 'T#acc_1#INCIDENT#ent_1', sk: 'OPEN' }];
  const commits = items.map((key, i) => ({
    ...{ n: i, at: i, run: undefined },
    changes: [{ key, before: undefined, after: { ...key, ...(i === 2 && incident) } }],
  }));
  return checkTenants({ seen: { commits } } as unknown as Inside);
}

describe('the promise "tenants"', () => {
  it('accepts items that name their own account', () => {
    expect(violationsWith({ root_entity_id: 'ent_1' })).toEqual([]);
  });

  it('finds an item that names another account', () => {
    expect(violationsWith({ root_entity_id: 'ent_2' })).toEqual([
      'T#acc_1#INCIDENT#ent_1 OPEN names ent_2, of another account',
    ]);
  });
});
