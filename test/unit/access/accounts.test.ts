import { describe, expect, it } from 'vitest';
import { NO_CREDENTIALS, type UserItem } from '#lib/access/account.ts';
import { gates } from '#lib/access/authenticate.ts';
import { disableAccount, enableAccount, setLimits } from '#lib/access/change-account.ts';
import type { MutationContext } from '#lib/access/context.ts';
import { issueAdminKey, issueKey } from '#lib/access/issue-key.ts';
import { fullKey } from '#lib/access/new-key.ts';
import { accessRoutes } from '#lib/access/routes.ts';
import { allAccounts } from '#lib/access/store.ts';
import { meRoutes } from '#lib/identity/me.ts';
import { makeRouter } from '#lib/platform/http/router.ts';
import { type MemoryWorld, memoryWorld } from '#test/support/memory-world.ts';

const plain = fullKey('a');

/** Adds a member with a key to an account. */
async function addMember({ ports, store, keys }: MemoryWorld, scope: MutationContext, id: string) {
  const user: UserItem = {
    ...keys.user(scope.tenant, id),
    v: ports.ids.token(),
    tenant_id: scope.tenant,
    id,
    email: `${id}@example.com`,
    name: id,
    role: 'member',
    keys: 0,
    ...NO_CREDENTIALS,
    created_at: '2026-11-21T00:00:00.000Z',
  };
  await store.transact([{ put: user, if: 'absent' }]);
  return { user, key: await issueKey(scope, id, plain) };
}

async function callWith(world: MemoryWorld, raw: string, method: string, path: string) {
  const response = await makeRouter(
    [...accessRoutes, ...meRoutes],
    gates(world),
  )({
    rawPath: path,
    rawQueryString: '',
    headers: { authorization: `Bearer ${raw}` },
    isBase64Encoded: false,
    requestContext: { requestId: 'r', http: { method, path } },
  });
  return { status: response.statusCode, body: response.body === '' ? undefined : JSON.parse(response.body) };
}

describe('createAccount', () => {
  it('creates accounts that allAccounts lists', async () => {
    const world = memoryWorld();
    const one = await world.account({ entity_limit_per_bp: 3 });
    world.advance(1);
    const two = await world.account();
    expect(await allAccounts(world.ports, world.keys)).toEqual([one.account, two.account]);
    expect(one.account).toMatchObject({ blueprint_limit: 50, entity_limit_per_bp: 3, disabled: false });
  });
  it.each([
    ['an e-mail without @', { email: 'ann' }, 'email'],
    ['an e-mail with a blank', { email: 'a nn@example.com' }, 'email'],
    ['no name', { name: '' }, 'name'],
    ['more checks per entity than its deletion can remove', { check_limit_per_entity: 91 }, 'check_limit_per_entity'],
    ['a fractional limit', { blueprint_limit: 1.5 }, 'blueprint_limit'],
    ['no retention', { retention_days: 0 }, 'retention_days'],
    ['rollups of less than a month', { rollup_days: 29 }, 'rollup_days'],
    ['rollups of more than three years', { rollup_days: 1101 }, 'rollup_days'],
  ])('rejects %s', async (_name, more, path) => {
    const refused = await memoryWorld()
      .account(more)
      .catch((error) => error);
    expect(refused).toMatchObject({ code: 'VALIDATION_ERROR', details: [{ path }] });
  });
});

describe('changes of an account', () => {
  it('rejects all of 120 keys while disabled and accepts them when enabled', async () => {
    const world = memoryWorld();
    const { context } = await world.account({ key_limit_per_user: 200 });
    const issued = await Promise.all(Array.from({ length: 120 }, () => issueAdminKey(context, fullKey('one of many'))));
    await disableAccount(context);
    for (const { key } of issued) {
      await expect(world.bearer(key)).rejects.toMatchObject({ code: 'ACCOUNT_DISABLED' });
    }
    await enableAccount(context);
    for (const { key } of issued) expect((await world.bearer(key)).tenant).toBe(context.tenant);
  });

  it('does not issue a key while disabled', async () => {
    const { account, store } = memoryWorld();
    const { context } = await account();
    await disableAccount(context);
    const before = (await store.query({ partition: context.keys.apiKeys(context.tenant) })).items.length;
    await expect(issueAdminKey(context, fullKey('x'))).rejects.toMatchObject({ code: 'ACCOUNT_DISABLED' });
    expect((await store.query({ partition: context.keys.apiKeys(context.tenant) })).items).toHaveLength(before);
  });

  it('keeps keys consistent when disabled and enabled concurrently', async () => {
    const world = memoryWorld();
    const { context, key } = await world.account();
    const keys = [key, ...(await Promise.all([1, 2, 3].map(() => issueAdminKey(context, fullKey('x')))))];
    await Promise.all([
      disableAccount(context),
      enableAccount(context),
      disableAccount(context),
      issueAdminKey(context, fullKey('y')).then(
        (made) => keys.push(made),
        () => {},
      ),
    ]);
    const { disabled } = (await allAccounts(world.ports, world.keys))[0]!;
    for (const one of keys) {
      const response = await world.bearer(one.key).catch((error) => error);
      expect(response.code).toBe(disabled ? 'ACCOUNT_DISABLED' : undefined);
    }
  });

  it('keeps keys enabled when disabling crashes after a concurrent enabling', async () => {
    let meanwhile: (() => Promise<unknown>) | undefined;
    const world = memoryWorld((table) => ({
      ...table,
      transact: async (writes) => {
        const isCopy = writes.some((write) => 'put' in write && 'account_disabled' in write.put);
        if (!isCopy || !meanwhile) return table.transact(writes);
        const enable = meanwhile;
        meanwhile = undefined;
        await enable();
        await table.transact(writes);
        throw new Error('crash');
      },
    }));
    const { context, key } = await world.account();
    meanwhile = () => enableAccount(context);
    await expect(disableAccount(context)).rejects.toThrow('crash');
    expect((await world.bearer(key.key)).tenant).toBe(context.tenant);
  });

  it('keeps omitted limits and copies the retention to its keys', async () => {
    const world = memoryWorld();
    const { context, key } = await world.account();
    await setLimits(context, { retention_days: 90, rollup_days: 60, blueprint_limit: undefined });
    const after = await setLimits(context, { entity_limit_per_bp: 7 });
    expect(after).toMatchObject({ retention_days: 90, blueprint_limit: 50, entity_limit_per_bp: 7 });
    expect((await world.bearer(key.key)).caller).toMatchObject({ retention_days: 90, rollup_days: 60 });
  });

  it('throws NOT_FOUND for an unknown account', async () => {
    const { ports, keys } = memoryWorld();
    const scope = { ports, keys, tenant: 'acc_none', origin: 'operator' } as const;
    await expect(setLimits(scope, { blueprint_limit: 1 })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(disableAccount(scope)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(issueAdminKey(scope, fullKey('x'))).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});

describe('issueKey', () => {
  it('does not create a key for a user who is removed at the same time', async () => {
    let remove: (() => Promise<unknown>) | undefined;
    const world = memoryWorld((table) => ({
      ...table,
      transact: async (writes) => {
        await remove?.();
        remove = undefined;
        return table.transact(writes);
      },
    }));
    const { context } = await world.account();
    await addMember(world, context, 'usr_m');
    const before = (await world.store.query({ partition: world.keys.apiKeys(context.tenant) })).items.length;
    remove = () => world.store.transact([{ delete: world.keys.user(context.tenant, 'usr_m') }]);
    await expect(issueKey(context, 'usr_m', plain)).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
    expect((await world.store.query({ partition: world.keys.apiKeys(context.tenant) })).items).toHaveLength(before);
  });

  it('creates one key when the response is lost and another writer conflicts', async () => {
    let lost = false;
    const world = memoryWorld((table) => ({
      ...table,
      transact: async (writes) => {
        const outcome = await table.transact(writes);
        if (!lost) return outcome;
        lost = false;
        return { ok: false, failed: [], present: [], conflict: true };
      },
    }));
    const { context } = await world.account();
    lost = true;
    const key = await issueAdminKey(context, fullKey('x'));
    expect((await world.bearer(key.key)).caller.key_id).toBe(key.id);
    expect((await world.store.query({ partition: world.keys.apiKeys(context.tenant) })).items).toHaveLength(2);
  });
});

describe('key of a member', () => {
  it('has the role of the member, and lists and deletes only their keys', async () => {
    const world = memoryWorld();
    const { context, key } = await world.account();
    const ben = await addMember(world, context, 'usr_ben');
    const eve = await addMember(world, context, 'usr_eve');
    const as = (raw: string, method: string, path: string) => callWith(world, raw, method, path);

    expect((await as(ben.key.key, 'GET', '/v1/me')).body.role).toBe('member');
    const ids = async (raw: string) =>
      (await as(raw, 'GET', '/v1/auth/keys')).body.map((one: { id: string }) => one.id);
    expect(await ids(ben.key.key)).toEqual([ben.key.id]);
    expect((await ids(key.key)).toSorted()).toEqual([key.id, ben.key.id, eve.key.id].toSorted());

    for (const id of [eve.key.id, key.id]) {
      expect(await as(ben.key.key, 'DELETE', `/v1/auth/keys/${id}`)).toMatchObject({
        status: 404,
        body: { code: 'NOT_FOUND' },
      });
    }
    expect((await as(key.key, 'DELETE', `/v1/auth/keys/${eve.key.id}`)).status).toBe(204);
    expect((await as(ben.key.key, 'DELETE', `/v1/auth/keys/${ben.key.id}`)).status).toBe(204);
    expect(await ids(key.key)).toEqual([key.id]);
  });
});
