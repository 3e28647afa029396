import { describe, expect, it } from 'vitest';
import { makeAuthenticator } from '#infra/docs/authenticator.ts';
import type { UserItem } from '#lib/access/account.ts';
import type { Context } from '#lib/access/context.ts';
import type { SessionItem } from '#lib/access/session-item.ts';
import { addPasskey, newPasskeyOptions } from '#lib/identity/passkeys/add-passkey.ts';
import { removePasskey, renamePasskey, requireUser } from '#lib/identity/passkeys/own-passkeys.ts';
import type { PasskeyItem } from '#lib/identity/passkeys/passkey.ts';
import { signInByPasskey, signInOptions } from '#lib/identity/passkeys/sign-in.ts';
import { removeUser } from '#lib/identity/team/change-user.ts';
import { inviteUser } from '#lib/identity/team/invitations.ts';
import { allOf } from '#lib/platform/table/pages.ts';
import { interruptedWorld, type MemoryWorld, memoryWorld } from '#test/support/memory-world.ts';

const PAGE = 'http://localhost:8787';
const sent = { headers: { host: 'localhost:8787' }, cookies: [] };

/** Adds a passkey to the user and requests sign-in options. @returns functions to sign in and to read the sessions */
async function aboutToSignIn(world: MemoryWorld, context: Context) {
  const authenticator = makeAuthenticator();
  const response = authenticator.create(await newPasskeyOptions(context, sent.headers), PAGE);
  const passkey = await addPasskey(context, { name: 'laptop', response }, sent.headers);
  const options = await signInOptions(context, sent.headers);
  const anonymous = { ...context, tenant: '' };
  return {
    passkey,
    signIn: () => signInByPasskey(anonymous, authenticator.get(options, PAGE), sent),
    sessions: () =>
      allOf<SessionItem>(world.store, { partition: world.keys.sessions(context.tenant, context.caller.user_id) }),
  };
}

/** Adds a second admin, so that the first can be removed. */
async function addAdmin({ store, keys }: MemoryWorld, context: Context): Promise<Context> {
  const { id } = await inviteUser(context, { email: 'ben@example.com', role: 'admin' });
  const [user] = await store.getMany<UserItem>([keys.user(context.tenant, id)]);
  const { invitation: _, ...member } = user!;
  await store.transact([{ put: member, if: { version: user!.v } }]);
  return { ...context, caller: { ...context.caller, user_id: id } };
}

describe('signInByPasskey', () => {
  it('rejects a user who is removed between read and write', async () => {
    const { world, before } = interruptedWorld();
    const { context, user } = await world.account();
    const admin = await addAdmin(world, context);
    const { signIn, sessions } = await aboutToSignIn(world, context);
    before.act = () => removeUser(admin, user.id);
    await expect(signIn()).rejects.toThrow(/is unknown/);
    expect(await sessions()).toEqual([]);
  });

  it('rejects a passkey that is removed between read and write', async () => {
    const { world, before } = interruptedWorld();
    const { context } = await world.account();
    const { signIn, sessions, passkey } = await aboutToSignIn(world, context);
    before.act = () => removePasskey(context, passkey.id);
    await expect(signIn()).rejects.toThrow(/is unknown/);
    expect(await sessions()).toEqual([]);
  });

  it('signs in only once when another response has the same challenge', async () => {
    const { world, before } = interruptedWorld();
    const { context } = await world.account();
    const { signIn, sessions } = await aboutToSignIn(world, context);
    before.act = signIn;
    await expect(signIn()).rejects.toThrow(/already used/);
    expect(await sessions()).toHaveLength(1);
  });

  it('signs in and keeps the new name when the passkey is renamed between read and write', async () => {
    const { world, before } = interruptedWorld();
    const { context } = await world.account();
    const { signIn, passkey } = await aboutToSignIn(world, context);
    before.act = () => renamePasskey(context, passkey.id, { name: 'old laptop' });
    expect((await signIn()).value.method).toBe('passkey');
    const { passkeys } = await requireUser(context);
    const [item] = await world.store.getMany<PasskeyItem>([world.keys.passkey(passkeys[0]!.digest)]);
    expect(item).toMatchObject({ name: 'old laptop', last_used_at: expect.any(String) });
  });
});

describe('addPasskey', () => {
  it('stores nothing when its user is removed between read and write', async () => {
    const { world, before } = interruptedWorld();
    const { context, user } = await world.account();
    const admin = await addAdmin(world, context);
    const options = await newPasskeyOptions(context, sent.headers);
    const response = makeAuthenticator().create(options, PAGE);
    const add = (by: Context) => addPasskey(by, { name: 'laptop', response }, sent.headers);
    before.act = async () => {
      // Deletes the item itself, like another process: the lock of team changes binds only this process.
      const { v, pk, sk } = (await world.store.get<UserItem>(world.keys.user(context.tenant, user.id)))!;
      await world.store.transact([{ delete: { pk, sk }, if: { version: v } }]);
    };
    await expect(add(context)).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
    const fresh = makeAuthenticator().create(await newPasskeyOptions(admin, sent.headers), PAGE, {
      credential_id: Buffer.from(response.id, 'base64url'),
    });
    expect(await addPasskey(admin, { name: 'laptop', response: fresh }, sent.headers)).toMatchObject({
      name: 'laptop',
    });
  });
});

it('reads the table four times and writes once per sign-in', async () => {
  const world = memoryWorld();
  const { context } = await world.account();
  const { signIn } = await aboutToSignIn(world, context);
  const { reads, writes } = { ...world.requests };
  await signIn();
  expect(world.requests).toEqual({ reads: reads + 4, writes: writes + 1 });
});
