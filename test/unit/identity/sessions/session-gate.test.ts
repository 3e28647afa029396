import { describe, expect, it } from 'vitest';
import type { UserItem } from '#lib/access/account.ts';
import { type ApiKeyItem, digestOf } from '#lib/access/api-key.ts';
import { disableAccount, enableAccount } from '#lib/access/change-account.ts';
import { deleteKey, requireKey } from '#lib/access/change-key.ts';
import type { SessionItem } from '#lib/access/session-item.ts';
import { linkByOperator } from '#lib/identity/sign-in-link.ts';
import { inviteUser } from '#lib/identity/team/invitations.ts';
import { memoryWorld } from '#test/support/memory-world.ts';
import { begin, outcomeOf, userOf, withCookie } from '#test/support/session-world.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** Creates an account whose admin has signed in. */
async function signedIn(method?: 'passkey' | 'oidc' | 'link') {
  const world = memoryWorld();
  const made = await world.account();
  const { begun, cookie } = await begin(world, made.context, made, method);
  return { world, ...made, begun, cookie };
}

describe('session gate', () => {
  it('reads the session, then user and account together, and writes once an hour', async () => {
    const { world, cookie } = await signedIn();
    await world.written();
    const before = { ...world.requests };
    for (let i = 0; i < 10; i++) await withCookie(world, cookie);
    expect(world.requests).toEqual({ reads: before.reads + 20, writes: before.writes });
    world.advance(HOUR);
    await withCookie(world, cookie);
    expect(world.requests).toEqual({ reads: before.reads + 22, writes: before.writes + 1 });
    await world.written();
    await withCookie(world, cookie);
    expect(world.requests).toEqual({ reads: before.reads + 24, writes: before.writes + 1 });
  });

  it('uses the current state of the user', async () => {
    const { world, cookie, user, account, begun } = await signedIn();
    const context = await withCookie(world, cookie);
    expect(context).toMatchObject({
      tenant: account.id,
      session: { id: begun.record.id },
      origin: { via: 'console', ip: '192.0.2.1' },
      caller: {
        user_id: user.id,
        user_email: user.email,
        key_id: '',
        role: 'admin',
        scopes: null,
        is_read_only: false,
      },
    });
    const changed = await userOf(world, user);
    const put: UserItem = { ...changed, v: 'w', role: 'viewer' };
    await world.store.transact([{ put, if: { version: changed.v } }]);
    expect(await outcomeOf(world, cookie)).toBe('viewer');
    await disableAccount(context);
    expect(await outcomeOf(world, cookie)).toBe('ACCOUNT_DISABLED');
    await enableAccount(context);
    expect(await outcomeOf(world, cookie)).toBe('viewer');
    await world.store.transact([{ delete: world.keys.user(account.id, user.id) }]);
    expect(await outcomeOf(world, cookie)).toBe('UNAUTHORIZED');
  });

  it('reads only the session and the key if the session was created with a key', async () => {
    const { world, ...made } = await signedIn();
    const key_digest = digestOf(made.key.key);
    const key = (await world.store.get<ApiKeyItem>(world.keys.apiKey(key_digest)))!;
    const { cookie } = await begin(world, made.context, made, 'key', { key, key_digest });
    await world.written();
    const before = { ...world.requests };
    expect((await withCookie(world, cookie)).caller.key_id).toBe(made.key.id);
    expect(world.requests).toEqual({ reads: before.reads + 2, writes: before.writes });
    await deleteKey(made.context, await requireKey(made.context, made.key.id));
    expect(await outcomeOf(world, cookie)).toBe('UNAUTHORIZED');
  });

  it('never restores an ended session by recording its use', async () => {
    let hold: Promise<unknown> = Promise.resolve();
    const world = memoryWorld((table) => ({ ...table, transact: (writes) => hold.then(() => table.transact(writes)) }));
    const made = await world.account();
    const { cookie, begun } = await begin(world, made.context, made);
    world.advance(HOUR);
    const late = Promise.withResolvers<void>();
    hold = late.promise;
    await withCookie(world, cookie);
    await world.store.transact([{ delete: { pk: begun.item.pk, sk: begun.item.sk } }]);
    late.resolve();
    await world.written();
    expect(await outcomeOf(world, cookie)).toBe('UNAUTHORIZED');
    expect(await world.store.get(begun.item)).toBeUndefined();
  });
});

describe('session', () => {
  it('ends exactly 7 days after its last use', async () => {
    const { world, cookie } = await signedIn();
    world.advance(7 * DAY - 1);
    expect(await outcomeOf(world, cookie)).toBe('admin');
    await world.written();
    world.advance(7 * DAY - 1);
    expect(await outcomeOf(world, cookie)).toBe('admin');
    await world.written();
    world.advance(7 * DAY);
    expect(await outcomeOf(world, cookie)).toBe('UNAUTHORIZED');
  });

  it.each([
    ['passkey', 30 * DAY],
    ['oidc', DAY],
    ['link', 12 * HOUR],
  ] as const)('ends at a fixed time for the method %s, regardless of use', async (method, ms) => {
    const { world, cookie, begun } = await signedIn(method);
    expect(begun.cookie).toContain(`; Max-Age=${ms / 1000}`);
    const start = world.ports.clock.now();
    while (world.ports.clock.now() + DAY < start + ms) {
      world.advance(DAY);
      expect(await outcomeOf(world, cookie)).toBe('admin');
      await world.written();
    }
    world.advance(start + ms - world.ports.clock.now() - 1);
    expect(await outcomeOf(world, cookie)).toBe('admin');
    await world.written();
    world.advance(1);
    expect(await outcomeOf(world, cookie)).toBe('UNAUTHORIZED');
  });

  it('is stored without its token or cookie', async () => {
    const { world, cookie, begun } = await signedIn();
    const token = cookie.split('=')[1]!;
    const stored = JSON.stringify(world.store.store.db.prepare('SELECT pk, sk, body FROM items').all());
    expect(stored).not.toContain(token);
    expect(stored).toContain(digestOf(token));
    const item = (await world.store.get<SessionItem>(begun.item))!;
    expect(item.expires_at * 1000).toBeGreaterThanOrEqual(item.valid_until);
    expect(JSON.stringify(item).length).toBeLessThan(900);
  });
});

describe('invited user', () => {
  it('cannot get a sign-in link', async () => {
    const { world, context } = await signedIn();
    const { id } = await inviteUser(context, { email: 'ben@example.com', role: 'admin' });
    await expect(linkByOperator(context, 'http://localhost', { userId: id })).rejects.toMatchObject({
      code: 'CONFLICT',
    });
    expect(world.log.lines).toEqual([]);
  });
});
