import { describe, expect, it } from 'vitest';
import type { UserItem } from '#lib/access/account.ts';
import { digestOf } from '#lib/access/api-key.ts';
import type { Context } from '#lib/access/context.ts';
import type { AuditItem } from '#lib/audit/entry.ts';
import { completeSignIn } from '#lib/identity/oidc/complete-sign-in.ts';
import { type IdentityItem, identityDigest } from '#lib/identity/oidc/identities.ts';
import type { OidcRequest } from '#lib/identity/oidc/request.ts';
import { removeUser } from '#lib/identity/team/change-user.ts';
import { inviteUser } from '#lib/identity/team/invitations.ts';
import type { Key } from '#lib/platform/ports.ts';
import { type MemoryWorld, memoryWorld } from '#test/support/memory-world.ts';

const ORIGIN = 'http://localhost:8787';
const SENT = { headers: { host: 'localhost:8787' }, cookies: [] };
const HOUR_MS = 3_600_000;

const verifiedAs = (subject: string) => {
  const claims = { issuer: 'https://login.example.com', subject };
  return { claims, inFull: async () => claims };
};

/** Completes a sign-in of a verified subject. */
const signIn = (context: Context, subject: string, more: Partial<OidcRequest> = {}) =>
  completeSignIn(context, { origin: ORIGIN, return_to: '/', ...more }, verifiedAs(subject), SENT);

async function invite(context: Context, email: string) {
  const { id, invite_token } = await inviteUser(context, { email, role: 'member' });
  const { tenant } = context;
  return {
    id,
    begun_for: { tenant_id: tenant, user_id: id, by: 'invitation', digest: digestOf(invite_token) } as const,
  };
}

/** Creates a member linked to the subject. */
async function member(context: Context, subject: string): Promise<string> {
  const { id, begun_for } = await invite(context, `${subject}@example.com`);
  await signIn(context, subject, { begun_for });
  return id;
}

const userOf = ({ store, keys }: MemoryWorld, { tenant }: Context, id: string) =>
  store.get<UserItem>(keys.user(tenant, id));

const identityOf = ({ store, keys }: MemoryWorld, { tenant }: Context, subject: string, user: string) =>
  store.get<IdentityItem>(keys.identity(identityDigest(verifiedAs(subject).claims), tenant, user));

describe('invitation accepted through the provider', () => {
  it('creates one member, identity and session, also when the response of the store is lost', async () => {
    const lost = { next: false };
    const world = memoryWorld((table) => ({
      ...table,
      transact: async (writes) => {
        const outcome = await table.transact(writes);
        if (!lost.next) return outcome;
        lost.next = false;
        return { ok: false, failed: [], present: [], conflict: true };
      },
    }));
    const { context } = await world.account();
    const { id, begun_for } = await invite(context, 'ben@example.com');
    lost.next = true;
    expect(await signIn(context, 'ben', { begun_for })).toMatch(/^fleetwatch_session_8787=/);
    expect(await userOf(world, context, id)).toMatchObject({ identities: [{ name: '' }] });
    expect((await userOf(world, context, id))?.invitation).toBeUndefined();
    const sessions = await world.store.query({ partition: world.keys.sessions(context.tenant, id) });
    expect(sessions.items).toHaveLength(1);
  });

  it('is accepted by only one of two concurrent sign-ins', async () => {
    const world = memoryWorld();
    const { context } = await world.account();
    const { id, begun_for } = await invite(context, 'ben@example.com');
    const attempts = await Promise.allSettled(['ben', 'eve'].map((subject) => signIn(context, subject, { begun_for })));
    expect(attempts.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    expect((await userOf(world, context, id))?.identities).toHaveLength(1);
  });
});

describe('last use of an identity', () => {
  it('is written at most once an hour', async () => {
    const world = memoryWorld();
    const { context } = await world.account();
    const id = await member(context, 'ben');
    const first = await identityOf(world, context, 'ben', id);
    world.advance(HOUR_MS - 1);
    await signIn(context, 'ben');
    expect(await identityOf(world, context, 'ben', id)).toEqual(first);
    world.advance(1);
    await signIn(context, 'ben');
    expect(await identityOf(world, context, 'ben', id)).toMatchObject({
      linked_at: first?.linked_at,
      last_used_at: new Date(world.ports.clock.now()).toISOString(),
    });
  });
});

describe('concurrent sign-in and removal of a user', () => {
  it('leave no valid session and no identity', async () => {
    for (let round = 0; round < 20; round++) {
      const world = memoryWorld();
      const { context } = await world.account();
      const id = await member(context, 'ben');
      await Promise.allSettled([signIn(context, 'ben'), removeUser(context, id), signIn(context, 'ben')]);
      expect(await userOf(world, context, id)).toBeUndefined();
      expect(await identityOf(world, context, 'ben', id)).toBeUndefined();
      await expect(signIn(context, 'ben')).rejects.toMatchObject({ reason: 'not_invited' });
    }
  });
});

/** Reads all audit entries of the account. */
const auditEntries = ({ store }: MemoryWorld, { tenant }: Context): Promise<(AuditItem | undefined)[]> => {
  const rows = store.store.db.prepare("SELECT pk, sk FROM items WHERE pk LIKE ? || '%'").all(`T#${tenant}#AUDIT#`);
  return Promise.all((rows as Key[]).map((key) => store.get<AuditItem>(key)));
};

describe('audit log of a sign-in', () => {
  it('has one entry per change, by the signed-in user', async () => {
    const world = memoryWorld();
    const { context } = await world.account();
    const id = await member(context, 'ben');
    await signIn(context, 'ben');
    const own = (await auditEntries(world, context)).filter((entry) => entry?.actor.user_id === id);
    expect(own.map((entry) => `${entry?.action} ${entry?.via}`).toSorted()).toEqual([
      'identity.add oidc',
      'session.create oidc',
      'session.create oidc',
      'user.accept oidc',
    ]);
    expect(own.find((entry) => entry?.action === 'identity.add')).toMatchObject({
      actor: { type: 'user', email: 'ben@example.com' },
      target: { type: 'identity', name: 'ben' },
    });
  });
});

it('signs in a linked identity with three reads and one write', async () => {
  const world = memoryWorld();
  const { context } = await world.account();
  await member(context, 'ben');
  Object.assign(world.requests, { reads: 0, writes: 0 });
  await signIn(context, 'ben');
  expect(world.requests).toEqual({ reads: 3, writes: 1 });
});
