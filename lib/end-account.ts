import type { AccountItem } from '#lib/access/account.ts';
import type { ApiKeyPointer } from '#lib/access/api-key.ts';
import { addressWrites, changeAccount } from '#lib/access/change-account.ts';
import type { MutationContext, TenantScope } from '#lib/access/context.ts';
import { allUsers } from '#lib/access/store.ts';
import { deleteAction } from '#lib/actions/change-action.ts';
import { deleteEntity } from '#lib/catalog/change-entity.ts';
import type { EntityItem } from '#lib/catalog/entity.ts';
import { credentialKeys } from '#lib/identity/credentials.ts';
import { sessionKeysOf } from '#lib/identity/sessions/end-sessions.ts';
import { invitedEmailKey } from '#lib/identity/team/invitations.ts';
import { AppError } from '#lib/platform/errors.ts';
import type { Key } from '#lib/platform/ports.ts';
import { deleteAll, keysUnder } from '#lib/platform/table/reclaim.ts';
import { commit, RETRY, retryOnConflict } from '#lib/platform/table/retry.ts';
import { iso } from '#lib/platform/time.ts';
import { keysOfBadges } from '#lib/public/badges/change-badge.ts';
import { allPages } from '#lib/public/pages/ask-to-publish.ts';
import { deletePage } from '#lib/public/pages/change-page.ts';
import { keysOfPingKeys } from '#lib/results/pings/ping-keys.ts';
import { deadlineEntry } from '#lib/schedule/entries.ts';
import type { Env, Ports } from './env.ts';
import { ACTIONS, under } from './keys.ts';

/** Maximum number of entities deleted per message; the next message continues, so that no function runs long. */
const ENTITIES_PER_MESSAGE = 50;

/**
 * Deletes an account permanently: its keys are rejected and its checks and actions stop at once. A schedule entry makes
 * the generator request the background deletion until nothing is left. Repeatable.
 */
export const endAccount = (scope: MutationContext): Promise<AccountItem> =>
  changeAccount(
    scope,
    'delete',
    (account) => ({ ...account, disabled: true, deleted_at: account.deleted_at ?? iso(scope.ports.clock.now()) }),
    () => [
      {
        put: deadlineEntry(scope.keys, 'account_end', entryOf(scope), scope.ports.ids.token(), scope.ports.clock.now()),
      },
    ],
  );

const entryOf = ({ tenant }: { tenant: string }) => ({ tenant_id: tenant, entity_id: tenant, id: tenant });

/** Deletes the data of a deleted account in several messages, the account last. Histories expire. Repeatable. */
export async function reclaimAccount({ ports, keys }: Env, { tenant_id }: { tenant_id: string }): Promise<void> {
  // Not audited separately: the deletion of the account is one audit entry.
  const scope = { ports, keys, tenant: tenant_id, origin: 'system' } as const;
  const account = await ports.table.get<AccountItem>(keys.account(tenant_id));
  if (account && !account.deleted_at) return;
  if (account && (await deleteEntities(scope)) === 'more') {
    await ports.queues.send('housekeeping', [{ body: { tenant_id, account: true }, group: tenant_id }]);
    return;
  }
  for (const { sk } of await keysUnder(ports, keys.actions(tenant_id), under(ACTIONS))) await deleteAction(scope, sk);
  for (const { id } of await allPages({ ports, keys }, tenant_id)) await deletePage(scope, id);
  await deleteAll(ports, [
    keys.statusPageCount(tenant_id),
    ...(await keysOfBadges(scope)),
    ...(await keysUnder(ports, keys.actions(tenant_id))),
    ...(await keysUnder(ports, keys.skills(tenant_id))),
    ...(await keysUnder(ports, keys.slos(tenant_id))),
    ...(await keysUnder(ports, keys.alerting(tenant_id))),
    ...(await keysUnder(ports, keys.lastsOfChannels(tenant_id))),
    ...(await keysUnder(ports, keys.groups(tenant_id))),
    ...(await keysUnder(ports, keys.mailAddresses(tenant_id))),
    ...(await keysOfPingKeys(scope)),
    ...(await keysUnder(ports, keys.blueprints(tenant_id))),
    keys.checkCount(tenant_id),
    keys.relationCount(tenant_id),
    ...(await keysOfUsers(scope)),
  ]);
  if (account) await deleteAccountItems(scope, account);
  // Last, because this entry makes the generator retry.
  await deleteAll(ports, [keys.entry('account_end', tenant_id, tenant_id)]);
}

async function deleteEntities(scope: MutationContext & { ports: Ports }): Promise<'all' | 'more'> {
  const { ports, keys, tenant } = scope;
  let left = ENTITIES_PER_MESSAGE;
  for (const bucket of keys.buckets) {
    if (left === 0) return 'more';
    const { items, next } = await ports.table.query<EntityItem>({
      partition: keys.entities(tenant, bucket),
      limit: left,
    });
    for (const { blueprint_slug, slug } of items) {
      await deleteEntity(scope, blueprint_slug, slug).catch(unlessGone);
    }
    left -= items.length;
    if (next !== undefined) return 'more';
  }
  return 'all';
}

/** Ignores NOT_FOUND, because another message may have deleted the entity. */
function unlessGone(error: unknown): void {
  if (!(error instanceof AppError && error.code === 'NOT_FOUND')) throw error;
}

async function keysOfUsers(scope: TenantScope): Promise<Key[]> {
  const { ports, keys, tenant } = scope;
  const found: Key[] = [keys.team(tenant)];
  for (const pointer of await keysUnder(ports, keys.apiKeys(tenant))) {
    const item = await ports.table.get<ApiKeyPointer>(pointer);
    if (item) found.push(keys.apiKey(item.digest));
    found.push(pointer);
  }
  for (const user of await allUsers(scope)) {
    if (user.invitation) found.push(keys.invitation(user.invitation.digest), invitedEmailKey(keys, user));
    found.push(...(await sessionKeysOf(scope, user.id)), ...credentialKeys(keys, user), { pk: user.pk, sk: user.sk });
  }
  return found;
}

async function deleteAccountItems(scope: TenantScope, { email }: AccountItem): Promise<void> {
  const { ports, keys, tenant } = scope;
  await retryOnConflict(ports, async () => {
    const accountItems = [{ delete: keys.account(tenant) }, { delete: keys.accountPointer(tenant) }];
    const outcome = await commit(ports, [...accountItems, ...(await addressWrites(scope, { from: email }))]);
    return outcome.ok ? true : RETRY;
  });
}
