import type { UserItem } from '#lib/access/account.ts';
import type { Scope } from '#lib/access/context.ts';
import { allUsers } from '#lib/access/store.ts';
import type { TeamItem } from '#lib/identity/team/team.ts';
import type { Write } from '#lib/platform/ports.ts';
import { oneAtATime } from '#lib/platform/table/lock.ts';
import { type AGAIN, untilDone } from '#lib/platform/table/retry.ts';

/**
 * A change of the team that depends on everybody in it. `attempt` gets all users, and `turn`: the write that makes its
 * transaction fail when the team was changed since.
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
