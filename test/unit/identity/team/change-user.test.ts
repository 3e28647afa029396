import { describe, expect, it } from 'vitest';
import { issueKey } from '#lib/access/issue-key.ts';
import { fullKey } from '#lib/access/new-key.ts';
import { changeUser } from '#lib/identity/team/change-user.ts';
import { join } from '#test/support/joining.ts';
import { interruptedWorld, type MemoryWorld, memoryWorld } from '#test/support/memory-world.ts';

const callerOf = async (world: MemoryWorld, raw: string) => (await world.bearer(raw)).caller;

describe('changed role', () => {
  it('applies to all of 120 keys of the user at once, and to no other key', async () => {
    const world = memoryWorld();
    const { context, key } = await world.account({ key_limit_per_user: 200 });
    const { user } = await join(world, context);
    const issued = await Promise.all(Array.from({ length: 120 }, () => issueKey(context, user.id, fullKey('a'))));
    expect(await changeUser(context, user.id, { role: 'viewer' })).toMatchObject({ id: user.id, role: 'viewer' });
    const roles = await Promise.all(issued.map(async (one) => (await callerOf(world, one.key)).role));
    expect(new Set(roles)).toEqual(new Set(['viewer']));
    expect((await callerOf(world, key.key)).role).toBe('admin');
  });

  it('applies to a key created between read and write', async () => {
    const { world, before } = interruptedWorld();
    const { context } = await world.account();
    const { user } = await join(world, context);
    const elsewhere = { ...context, ports: { ...context.ports, table: world.store } };
    let late = '';
    before.act = async () => {
      late = (await issueKey(elsewhere, user.id, fullKey('late'))).key;
    };
    await changeUser(context, user.id, { role: 'viewer' });
    expect((await callerOf(world, late)).role).toBe('viewer');
  });

  it('can be repeated after an interruption', async () => {
    let writesLeft = Number.POSITIVE_INFINITY;
    const world: MemoryWorld = memoryWorld((table) => ({
      ...table,
      transact: (writes) => (writesLeft-- > 0 ? table.transact(writes) : Promise.reject(new Error('crash'))),
    }));
    const { context } = await world.account({ key_limit_per_user: 200 });
    const { user } = await join(world, context);
    const issued = [];
    for (let n = 0; n < 120; n++) issued.push(await issueKey(context, user.id, fullKey('a')));
    writesLeft = 1;
    await expect(changeUser(context, user.id, { role: 'viewer' })).rejects.toThrow('crash');
    writesLeft = Number.POSITIVE_INFINITY;
    expect((await changeUser(context, user.id, { role: 'viewer' })).role).toBe('viewer');
    const roles = await Promise.all(issued.map(async (one) => (await callerOf(world, one.key)).role));
    expect(new Set(roles)).toEqual(new Set(['viewer']));
  });

  it('leaves one admin when two are demoted concurrently', async () => {
    const { world, before } = interruptedWorld();
    const { context, user: first } = await world.account();
    const { user: second } = await join(world, context, 'admin');
    const elsewhere = { ...context, ports: { ...context.ports, table: world.store } };
    before.act = () => changeUser(elsewhere, first.id, { role: 'member' });
    await expect(changeUser(context, second.id, { role: 'member' })).rejects.toMatchObject({ code: 'CONFLICT' });
  });
});

describe('changeUser', () => {
  it('updates the e-mail address in the keys of the user, which name the author of changes', async () => {
    const world = memoryWorld();
    const { context, user, key } = await world.account();
    await changeUser(context, user.id, { email: 'new@example.com' });
    expect(await callerOf(world, key.key)).toMatchObject({ user_email: 'new@example.com', role: 'admin' });
  });

  it('writes nothing when no property changes', async () => {
    const world = memoryWorld();
    const { context, user } = await world.account();
    const { writes } = world.requests;
    const { role, name, email } = user;
    await changeUser(context, user.id, { role, name, email });
    await changeUser(context, user.id, {});
    expect(world.requests.writes).toBe(writes);
  });
});
