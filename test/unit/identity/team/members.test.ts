import { describe, expect, it } from 'vitest';
import { isInvited, type UserItem } from '#lib/access/account.ts';
import { disableAccount, enableAccount } from '#lib/access/change-account.ts';
import type { Context } from '#lib/access/context.ts';
import { issueAdminKey, issueKey } from '#lib/access/issue-key.ts';
import { fullKey } from '#lib/access/new-key.ts';
import { allUsers } from '#lib/access/store.ts';
import { removeUser } from '#lib/identity/team/change-user.ts';
import { inviteUser } from '#lib/identity/team/invitations.ts';
import { INVITATION_MS } from '#lib/identity/team/team.ts';
import { accept, join } from '#test/support/joining.ts';
import { interruptedWorld, type MemoryWorld, memoryWorld } from '#test/support/memory-world.ts';

const plain = fullKey('a');

/** Creates a world that loses the response of the next write on demand: it succeeded, but looks like a conflict. */
function lossyWorld() {
  const next = { isLost: false };
  const world: MemoryWorld = memoryWorld((table) => ({
    ...table,
    transact: async (writes) => {
      const outcome = await table.transact(writes);
      if (!next.isLost) return outcome;
      next.isLost = false;
      return { ok: false, failed: [], present: [], conflict: true };
    },
  }));
  return { world, next };
}

const codeOf = async (raw: string, world: MemoryWorld): Promise<string> =>
  world.bearer(raw).then(
    () => 'let in',
    (error) => error.code,
  );

const pending = async (context: Context): Promise<UserItem> => (await allUsers(context)).find(isInvited)!;

const keyCount = async ({ store, keys }: MemoryWorld, { tenant }: Context) =>
  (await store.query({ partition: keys.apiKeys(tenant) })).items.length;

describe('invitation', () => {
  it('is valid for exactly 7 days', async () => {
    const world = memoryWorld();
    const { context } = await world.account();
    const first = await inviteUser(context, { email: 'a@example.com', role: 'member' });
    const second = await inviteUser(context, { email: 'b@example.com', role: 'member' });
    world.advance(INVITATION_MS - 1);
    expect((await accept(world, first.invite_token)).user.status).toBe('active');
    world.advance(1);
    await expect(accept(world, second.invite_token)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    const renewed = await inviteUser(context, { email: 'b@example.com', role: 'member' });
    expect(renewed.id).toBe(second.id);
    expect((await accept(world, renewed.invite_token)).user.id).toBe(second.id);
  });

  it('is stored only as a digest', async () => {
    const world = memoryWorld();
    const { context } = await world.account();
    const { invite_token } = await inviteUser(context, { email: 'a@example.com', role: 'member' });
    const user = await pending(context);
    expect(user.invitation!.digest).toMatch(/^[0-9a-f]{64}$/);
    const item = await world.store.get(world.keys.invitation(user.invitation!.digest));
    expect(item).toMatchObject({ user_id: user.id, expires_at: expect.any(Number) });
    expect(JSON.stringify([user, item])).not.toContain(invite_token);
  });

  it('is rejected while the account is disabled, and valid when it is enabled', async () => {
    const world = memoryWorld();
    const { context } = await world.account();
    const { invite_token } = await inviteUser(context, { email: 'a@example.com', role: 'member' });
    await disableAccount(context);
    await expect(accept(world, invite_token)).rejects.toMatchObject({ code: 'ACCOUNT_DISABLED' });
    await enableAccount(context);
    expect(await codeOf((await accept(world, invite_token)).key, world)).toBe('let in');
  });

  it('issues no key when the account is disabled at the same time', async () => {
    const { world, before } = interruptedWorld();
    const { context } = await world.account();
    const { invite_token } = await inviteUser(context, { email: 'a@example.com', role: 'member' });
    before.act = () => disableAccount(context);
    await expect(accept(world, invite_token)).rejects.toMatchObject({ code: 'ACCOUNT_DISABLED' });
    expect(await keyCount(world, context)).toBe(1);
  });

  it.each([
    ['accepted', (world: MemoryWorld, _context: Context, token: string) => accept(world, token)],
    ['replaced', (_world: MemoryWorld, context: Context) => inviteUser(context, { email: 'a@b.c', role: 'member' })],
    ['withdrawn', async (_world: MemoryWorld, context: Context) => removeUser(context, (await pending(context)).id)],
  ])('is not accepted if %s between read and write', async (_name, change) => {
    const { world, before } = interruptedWorld();
    const { context } = await world.account();
    const { invite_token } = await inviteUser(context, { email: 'a@b.c', role: 'member' });
    before.act = () => change(world, context, invite_token);
    await expect(accept(world, invite_token)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('is created once per e-mail address, also when another is created between read and write', async () => {
    const { world, before } = interruptedWorld();
    const { context } = await world.account();
    // Without the lock, as from another process.
    const elsewhere = { ...context, ports: { ...context.ports, table: world.store } };
    let other: { id: string; invite_token: string } | undefined;
    before.act = async () => {
      other = await inviteUser(elsewhere, { email: 'A@b.c', role: 'admin' });
    };
    const mine = await inviteUser(context, { email: 'a@b.c', role: 'member' });
    expect(mine.id).toBe(other!.id);
    expect(await allUsers(context)).toHaveLength(2);
    await expect(accept(world, other!.invite_token)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect((await accept(world, mine.invite_token)).user.role).toBe('member');
  });

  it('is created and accepted once when the responses of the store are lost', async () => {
    const { world, next } = lossyWorld();
    const { context } = await world.account();
    next.isLost = true;
    const { invite_token } = await inviteUser(context, { email: 'a@b.c', role: 'member' });
    expect(await allUsers(context)).toHaveLength(2);
    next.isLost = true;
    const { key, user } = await accept(world, invite_token);
    expect(user).toMatchObject({ name: 'Ben', status: 'active' });
    expect(await codeOf(key, world)).toBe('let in');
    expect(await keyCount(world, context)).toBe(2);
  });
});

describe('removeUser', () => {
  it('deletes all of 120 keys of the user, and no other key', async () => {
    const world = memoryWorld();
    const { context, key } = await world.account({ key_limit_per_user: 200 });
    const { user } = await join(world, context);
    const issued = await Promise.all(Array.from({ length: 120 }, () => issueKey(context, user.id, plain)));
    await removeUser(context, user.id);
    expect(new Set(await Promise.all(issued.map((one) => codeOf(one.key, world))))).toEqual(new Set(['UNAUTHORIZED']));
    expect(await keyCount(world, context)).toBe(1);
    expect(await codeOf(key.key, world)).toBe('let in');
  });

  it('deletes a key created between read and write', async () => {
    const { world, before } = interruptedWorld();
    const { context } = await world.account();
    const { user } = await join(world, context);
    const elsewhere = { ...context, ports: { ...context.ports, table: world.store } };
    let late = '';
    before.act = async () => {
      late = (await issueKey(elsewhere, user.id, plain)).key;
    };
    await removeUser(context, user.id);
    expect(late).not.toBe('');
    expect(await codeOf(late, world)).toBe('UNAUTHORIZED');
    expect(await keyCount(world, context)).toBe(1);
  });

  it('keeps the user listed after an interruption, so that the removal can be repeated', async () => {
    let isFailing = false;
    const world: MemoryWorld = memoryWorld((table) => ({
      ...table,
      transact: (writes) =>
        isFailing && writes.some((write) => 'put' in write)
          ? Promise.reject(new Error('crash'))
          : table.transact(writes),
    }));
    const { context } = await world.account();
    const { user } = await join(world, context);
    for (let n = 0; n < 60; n++) await issueKey(context, user.id, plain);
    isFailing = true;
    await expect(removeUser(context, user.id)).rejects.toThrow('crash');
    expect((await allUsers(context)).map(({ id }) => id)).toContain(user.id);
    isFailing = false;
    await removeUser(context, user.id);
    expect(await keyCount(world, context)).toBe(1);
  });

  it('rejects one of two concurrent removals of the last admins', async () => {
    const { world, before } = interruptedWorld();
    const { context, user: first } = await world.account();
    const { user: second } = await join(world, context, 'admin');
    const elsewhere = { ...context, ports: { ...context.ports, table: world.store } };
    before.act = () => removeUser(elsewhere, first.id);
    await expect(removeUser(context, second.id)).rejects.toMatchObject({ code: 'CONFLICT' });
    expect((await allUsers(context)).map(({ id }) => id)).toEqual([second.id]);
  });

  it('succeeds when a repeated write no longer matches', async () => {
    const world: MemoryWorld = memoryWorld((table) => ({
      ...table,
      // Like a client that repeats a transaction whose first response was lost.
      transact: async (writes) => {
        await table.transact(writes);
        return table.transact(writes);
      },
    }));
    const { context } = await world.account();
    const { user } = await join(world, context);
    await removeUser(context, user.id);
    expect(await allUsers(context)).toHaveLength(1);
  });
});

describe('issueAdminKey', () => {
  it('never creates the key for an invited admin', async () => {
    const world = memoryWorld();
    const { context, user: first } = await world.account();
    await inviteUser(context, { email: 'boss@example.com', role: 'admin' });
    const { user: second } = await join(world, context, 'admin');
    await removeUser(context, first.id);
    const { key } = await issueAdminKey(context, fullKey('Replacement'));
    expect((await world.bearer(key)).caller.user_id).toBe(second.id);
  });
});

describe('an account created before teams existed', () => {
  it('lists its admin, who cannot be removed', async () => {
    const world = memoryWorld();
    const { context, user } = await world.account();
    const old: UserItem = { ...user };
    expect(await world.store.get(world.keys.team(context.tenant))).toBeUndefined();
    await inviteUser(context, { email: 'a@b.c', role: 'member' });
    expect(await allUsers(context)).toContainEqual(old);
    await expect(removeUser(context, user.id)).rejects.toMatchObject({ code: 'CONFLICT' });
  });
});
