import { expect, it } from 'vitest';
import { removeUser } from '#lib/identity/team/change-user.ts';
import { acceptInvitation, findInvitedUsers, inviteUser } from '#lib/identity/team/invitations.ts';
import { INVITATION_MS } from '#lib/identity/team/team.ts';
import { memoryWorld } from '#test/support/memory-world.ts';

const EMAIL = 'cleo@example.com';

/** Reads all stored pointers from e-mail addresses to invited users. */
const pointers = (world: ReturnType<typeof memoryWorld>) =>
  world.store.store.db.prepare("SELECT pk FROM items WHERE pk LIKE 'INVITED#%'").all();

it('finds invited users by address, regardless of case, in all accounts while the invitation is valid', async () => {
  const world = memoryWorld();
  const accounts = [await world.account(), await world.account()];
  for (const { context } of accounts) await inviteUser(context, { email: 'Cleo@Example.com', role: 'member' });
  expect((await findInvitedUsers(world, EMAIL)).map(({ tenant_id }) => tenant_id).toSorted()).toEqual(
    accounts.map(({ context }) => context.tenant).toSorted(),
  );
  expect(await findInvitedUsers(world, 'cleo@example.org')).toEqual([]);
  // The lower case of the Kelvin sign (U+212A), which the claim of a provider can contain, is the letter k.
  await inviteUser(accounts[0]!.context, { email: 'kim@example.com', role: 'member' });
  expect(await findInvitedUsers(world, 'KIM@example.com')).toHaveLength(1);
  expect(await findInvitedUsers(world, '\u212aim@example.com')).toEqual([]);
  expect(JSON.stringify(pointers(world))).not.toContain('leo@');
  world.advance(INVITATION_MS);
  expect(await findInvitedUsers(world, EMAIL)).toEqual([]);
});

it('does not find accepted or removed users, and deletes their pointers', async () => {
  const world = memoryWorld();
  const { context } = await world.account();
  const origin = { via: 'api', request_id: 'r', ip: '', user_agent: '' } as const;
  const sent = { headers: {}, cookies: [] };
  const { invite_token: token } = await inviteUser(context, { email: EMAIL, role: 'member' });
  await acceptInvitation({ ...world, origin }, { token, name: 'Cleo', key: false, session: false }, sent);
  const { id } = await inviteUser(context, { email: 'ben@example.com', role: 'member' });
  expect(await findInvitedUsers(world, EMAIL)).toEqual([]);
  expect(await findInvitedUsers(world, 'ben@example.com')).toHaveLength(1);
  await removeUser(context, id);
  expect(pointers(world)).toEqual([]);
});
