import type { Context } from '#lib/access/context.ts';
import { acceptInvitation, inviteUser } from '#lib/identity/team/invitations.ts';
import type { Role } from '#lib/platform/http/access.ts';
import type { MemoryWorld } from './memory-world.ts';

/** Accepts an invitation like a pipeline: with a first key, and without a session. */
export async function accept({ ports, keys }: MemoryWorld, token: string) {
  const origin = { via: 'api', request_id: 'r', ip: '', user_agent: '' } as const;
  const acceptance = { token, name: 'Ben', key: true, session: false };
  const { value } = await acceptInvitation({ ports, keys, origin }, acceptance, { headers: {}, cookies: [] });
  return { user: value.user, key: value.key! };
}

/** Adds a user by an accepted invitation. */
export async function join(world: MemoryWorld, context: Context, role: Role = 'member') {
  const { invite_token } = await inviteUser(context, { email: `${world.ports.ids.token()}@example.com`, role });
  return accept(world, invite_token);
}
