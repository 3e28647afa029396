import { describe, expect, it } from 'vitest';
import { digestOf } from '#lib/access/api-key.ts';
import { memoryWorld } from '#test/support/memory-world.ts';

const HOUR = 3_600_000;

describe('authenticate', () => {
  it('costs one read per request, and one write per hour', async () => {
    const { account, bearer, requests, advance, written } = memoryWorld();
    const { key } = await account();
    await written();
    const before = { ...requests };
    for (let i = 0; i < 10; i++) await bearer(key.key);
    expect(requests).toEqual({ reads: before.reads + 10, writes: before.writes });
    advance(HOUR);
    await bearer(key.key);
    expect(requests).toEqual({ reads: before.reads + 11, writes: before.writes + 1 });
  });

  it('takes the account and the caller from the key', async () => {
    const { account, bearer } = memoryWorld();
    const made = await account({ retention_days: 7 });
    const { tenant, caller } = await bearer(made.key.key);
    expect(tenant).toBe(made.account.id);
    expect(caller).toEqual({
      tenant_id: made.account.id,
      user_id: made.user.id,
      user_email: made.user.email,
      key_id: made.key.id,
      key_label: made.key.label,
      role: 'admin',
      is_read_only: false,
      scopes: null,
      check_ids: null,
      entity_ids: null,
      skills: null,
      valid_until: null,
      retention_days: 7,
      rollup_days: 400,
      egress: 'any',
      rate_limits: {},
    });
  });

  it('does not store the raw key', async () => {
    const { account, store } = memoryWorld();
    const { key } = await account();
    const bodies = store.store.db.prepare('SELECT pk, sk, body FROM items').all();
    expect(JSON.stringify(bodies)).not.toContain(key.key);
    expect(JSON.stringify(bodies)).toContain(digestOf(key.key));
  });

  it('accepts the request when last_used_at cannot be written, and logs a warning', async () => {
    let refuses = false;
    const world = memoryWorld((table) => ({
      ...table,
      transact: (writes) => (refuses ? Promise.reject(new Error('disk full')) : table.transact(writes)),
    }));
    const { key } = await world.account();
    await world.written();
    refuses = true;
    world.advance(HOUR);
    await world.bearer(key.key);
    await world.written();
    expect(world.log.lines).toMatchObject([{ level: 'warn', fields: { key_id: key.id } }]);
    expect(JSON.stringify(world.log.lines)).not.toContain(key.key);
  });

  it('never restores a deleted key by recording its use', async () => {
    let hold: Promise<unknown> = Promise.resolve();
    const world = memoryWorld((table) => ({ ...table, transact: (writes) => hold.then(() => table.transact(writes)) }));
    const { key } = await world.account();
    await world.written();
    world.advance(HOUR);
    const late = Promise.withResolvers<void>();
    hold = late.promise;
    await world.bearer(key.key);
    const item = world.keys.apiKey(digestOf(key.key));
    await world.store.transact([{ delete: item }]);
    late.resolve();
    await world.written();
    expect(await world.store.get(item)).toBeUndefined();
    expect(world.log.lines).toEqual([]);
  });
});
