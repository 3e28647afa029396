import { oneAtATime } from '#lib/platform/lock.ts';
import type { Write } from '#lib/platform/ports.ts';
import { type AGAIN, untilDone } from '#lib/platform/retry.ts';
import type { UserItem } from './account.ts';
import type { Scope } from './context.ts';
import { allUsers } from './store.ts';
import type { TeamItem } from './team.ts';

/**
 * A change of the team that depends on everybody in it. `attempt` gets all users, and `turn`: the write that makes its
 * transaction fail when somebody else has changed the team since.
 */
export function changeTeam<T>(
  scope: Scope,
  attempt: (users: UserItem[], turn: Write) => Promise<T | typeof AGAIN>,
): Promise<T> {
  const { ports, keys, tenant } = scope;
  const read = async () => {
    // Before the users, so that its version is no newer than they are.
    const before = await ports.table.get<TeamItem>(keys.team(tenant));
    const next: TeamItem = { ...keys.team(tenant), v: ports.ids.token() };
    const turn: Write = { put: next, if: before ? { version: before.v } : 'absent' };
    return attempt(await allUsers(scope), turn);
  };
  return oneAtATime(ports.table, keys.users(tenant), () => untilDone(ports, read));
}
