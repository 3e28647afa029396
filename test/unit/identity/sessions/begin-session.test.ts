import { describe, expect, it } from 'vitest';
import { create } from '#functions/sign-in.ts';
import type { SignInCredential, UserItem } from '#lib/access/account.ts';
import { endAccount, reclaimAccount } from '#lib/end-account.ts';
import { endSessions } from '#lib/identity/sessions/end-sessions.ts';
import { createLink, linkByOperator } from '#lib/identity/sign-in-link.ts';
import { removeUser } from '#lib/identity/team/change-user.ts';
import type { Item } from '#lib/platform/ports.ts';
import { interruptedWorld, type MemoryWorld, memoryWorld } from '#test/support/memory-world.ts';
import { tokenOf } from '#test/support/page.ts';
import { begin, outcomeOf, userOf, withCookie } from '#test/support/session-world.ts';

const HOUR = 3_600_000;

/** Calls POST /v1/sign-in/link as a program. */
const redeem = (world: MemoryWorld, token: string) =>
  create(world.ports)({
    rawPath: '/v1/sign-in/link',
    rawQueryString: '',
    headers: { host: 'localhost:8787' },
    body: JSON.stringify({ token }),
    isBase64Encoded: false,
    requestContext: { requestId: 'r', http: { method: 'POST', path: '/v1/sign-in/link' } },
  });

const linkOf = async (scope: Parameters<typeof linkByOperator>[0]) =>
  tokenOf((await linkByOperator(scope, 'http://localhost:8787')).url);

describe('end of all sessions of a user', () => {
  it('includes a session that starts at the same time', async () => {
    const { world, before } = interruptedWorld();
    const made = await world.account();
    // Between the read of the user and the write of the session.
    before.act = () => endSessions(made.context, made.user.id);
    const { cookie } = await begin(world, made.context, made);
    expect(await outcomeOf(world, cookie)).toBe('UNAUTHORIZED');
    const next = await begin(world, made.context, { ...made, user: await userOf(world, made.user) });
    expect(await outcomeOf(world, next.cookie)).toBe('admin');
  });

  it('includes a stolen link that is used while a revoking link is created', async () => {
    const { world, before } = interruptedWorld();
    const made = await world.account();
    const stolen = await linkOf(made.context);
    let token = '';
    before.act = async () => {
      ({ token } = await createLink(made.context, made.user.id, { ms: HOUR, revoke: true }));
    };
    expect((await redeem(world, stolen)).statusCode).toBe(401);
    expect((await redeem(world, token)).statusCode).toBe(201);
  });

  it('keeps the session that requested it', async () => {
    const world = memoryWorld();
    const made = await world.account();
    const [mine, other] = [await begin(world, made.context, made), await begin(world, made.context, made)];
    const { session } = await withCookie(world, mine.cookie);
    await endSessions(made.context, made.user.id, session!);
    expect(await outcomeOf(world, mine.cookie)).toBe('admin');
    expect(await outcomeOf(world, other.cookie)).toBe('UNAUTHORIZED');
  });
});

describe('sign-in link', () => {
  it('is valid for exactly an hour if created by the operator', async () => {
    const world = memoryWorld();
    const { context } = await world.account();
    const [first] = [await linkOf(context)];
    world.advance(HOUR);
    expect((await redeem(world, first)).statusCode).toBe(401);
    const second = await linkOf(context);
    world.advance(HOUR - 1);
    expect((await redeem(world, second)).statusCode).toBe(201);
  });

  it('signs in once, also when the response of the store is lost', async () => {
    let isNextLost = false;
    const world: MemoryWorld = memoryWorld((table) => ({
      ...table,
      transact: async (writes) => {
        const outcome = await table.transact(writes);
        if (!isNextLost) return outcome;
        isNextLost = false;
        return { ok: false, failed: [], present: [], conflict: true };
      },
    }));
    const { context } = await world.account();
    const token = await linkOf(context);
    isNextLost = true;
    const response = await redeem(world, token);
    expect(response.statusCode).toBe(201);
    expect(await outcomeOf(world, response.cookies![0]!.split(';')[0]!)).toBe('admin');
    expect((await redeem(world, token)).statusCode).toBe(401);
  });

  it('is rejected but not used up while the account is disabled', async () => {
    const world = memoryWorld();
    const { context, account } = await world.account();
    const token = await linkOf(context);
    const put = async (disabled: boolean) => {
      const item = (await world.store.get(world.keys.account(account.id)))!;
      await world.store.transact([{ put: { ...item, disabled } as never, if: { version: item.v! } }]);
    };
    await put(true);
    expect((await redeem(world, token)).body).toContain('ACCOUNT_DISABLED');
    await expect(linkByOperator(context, '')).rejects.toMatchObject({ code: 'ACCOUNT_DISABLED' });
    await put(false);
    expect((await redeem(world, token)).statusCode).toBe(201);
  });

  it('removes passkeys and identities if it revokes', async () => {
    const world = memoryWorld();
    const { context, user } = await world.account();
    const credential: SignInCredential = { id: 'pky_1', digest: 'd', name: 'Laptop' };
    const withCredentials: UserItem = {
      ...(await userOf(world, user)),
      passkeys: [credential],
      identities: [credential],
    };
    const credentialKeys = [world.keys.passkey('d'), world.keys.identity('d', context.tenant, user.id)];
    await world.store.putMany([withCredentials, ...credentialKeys]);
    await linkByOperator(context, '', { revoke: true });
    expect(await userOf(world, user)).toMatchObject({ passkeys: [], identities: [] });
    for (const key of credentialKeys) expect(await world.store.get(key)).toBeUndefined();
  });
});

describe('items of a sign-in', () => {
  const partitionsLeft = ({ store }: MemoryWorld) =>
    (store.store.db.prepare('SELECT pk FROM items').all() as { pk: string }[])
      .map(({ pk }) => pk)
      .filter((pk) => /^(SESSION|LINK|PASSKEY|IDENTITY)#|#SESSIONS#/.test(pk));

  async function full() {
    const world = memoryWorld();
    const made = await world.account();
    for (let i = 0; i < 3; i++) await begin(world, made.context, made);
    await linkOf(made.context);
    expect(partitionsLeft(world)).toHaveLength(7);
    return { world, ...made };
  }

  it('are deleted with their user', async () => {
    const { world, context, user } = await full();
    const other: UserItem = {
      ...(await userOf(world, user)),
      ...world.keys.user(context.tenant, 'usr_2'),
      id: 'usr_2',
    };
    await world.store.putMany([other]);
    await removeUser(context, user.id);
    expect(partitionsLeft(world)).toEqual([]);
  });

  it('are deleted with their account', async () => {
    const { world, context } = await full();
    await endAccount(context);
    await reclaimAccount(world, { tenant_id: context.tenant });
    expect(partitionsLeft(world)).toEqual([]);
  });

  it('are deleted when their session is replaced or exceeds the limit', async () => {
    const world = memoryWorld();
    const made = await world.account();
    let last = await begin(world, made.context, made);
    last = await begin(world, made.context, made, 'passkey', { before: [last.cookie] });
    expect(partitionsLeft(world)).toHaveLength(2);
    // As after many concurrent sign-ins that did not see each other.
    const crowd = Array.from({ length: 30 }, (_, i) =>
      world.keys.sessionPointer(made.account.id, made.user.id, `ses_0${i}`),
    );
    await world.store.putMany(crowd.map((key, i) => ({ ...key, digest: `d${i}` })) as Item[]);
    for (let i = 0; i < 2; i++) last = await begin(world, made.context, made);
    expect(partitionsLeft(world).filter((pk) => pk.includes('#SESSIONS#'))).toHaveLength(20);
    expect(await outcomeOf(world, last.cookie)).toBe('admin');
  });
});
