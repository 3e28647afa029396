import { describe, expect, it } from 'vitest';
import type { Inside } from '#test/oracle/inside.ts';
import { checkTenants } from '#test/oracle/tenants.ts';

const entity = (tenant: string, id: string) => ({ pk: `T#${tenant}#ENTITIES#0`, sk: id });

/** What is said of two accounts with an entity each, of whose incident somebody writes this. */
function said(incident: object): string[] {
  const items = [entity('acc_1', 'ent_1'), entity('acc_2', 'ent_2'), { pk: 'T#acc_1#INCIDENT#ent_1', sk: 'OPEN' }];
  const commits = items.map((key, i) => ({
    ...{ n: i, at: i, run: undefined },
    changes: [{ key, before: undefined, after: { ...key, ...(i === 2 && incident) } }],
  }));
  return checkTenants({ seen: { commits } } as unknown as Inside);
}

describe('the judge of accounts', () => {
  it('lets each speak of its own', () => {
    expect(said({ root_entity_id: 'ent_1' })).toEqual([]);
  });

  it('says which names what is of another', () => {
    expect(said({ root_entity_id: 'ent_2' })).toEqual(['T#acc_1#INCIDENT#ent_1 OPEN names ent_2, of another account']);
  });
});
