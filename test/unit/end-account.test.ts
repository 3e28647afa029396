import { describe, expect, it } from 'vitest';
import { create as createHousekeeper } from '#functions/housekeeper.ts';
import { createAccount, enableAccount } from '#lib/access/change-account.ts';
import { issueAdminKey } from '#lib/access/issue-key.ts';
import { fullKey } from '#lib/access/new-key.ts';
import { allAccounts } from '#lib/access/store.ts';
import { NewAction } from '#lib/actions/action.ts';
import { createAction } from '#lib/actions/change-action.ts';
import { createEntity } from '#lib/catalog/change-entity.ts';
import { endAccount, reclaimAccount } from '#lib/end-account.ts';
import { inviteUser } from '#lib/identity/team/invitations.ts';
import { createSkill } from '#lib/mcp/skills/change-skill.ts';
import { NewSkill } from '#lib/mcp/skills/skill.ts';
import { messages } from '#lib/messages.ts';
import { emitShards } from '#lib/schedule/emit.ts';
import { healthWorld } from '#test/support/health-world.ts';

type World = Awaited<ReturnType<typeof healthWorld>>;

/** Creates a world with an account that has entities, a check, an action, a skill, an invited user, and two keys. */
async function full(entities = 3): Promise<World> {
  const world = await healthWorld();
  const { context } = world;
  for (let n = 0; n < entities; n++) await createEntity(context, 'service', { slug: `e${n}`, name: 'E', fields: {} });
  await world.check();
  await createAction(context, NewAction.parse({ name: 'Restart', url: 'https://{{host}}/', trigger_type: 'manual' }));
  await createSkill(context, NewSkill.parse({ slug: 's', name: 'S', tools: [] }));
  await inviteUser(context, { email: 'bea@example.com', role: 'member' });
  await issueAdminKey(context, fullKey('another'));
  return world;
}

/** Returns the keys of all stored items that mention the account. */
const keysLeft = ({ store, context }: World) =>
  (store.store.db.prepare('SELECT pk, sk, body FROM items').all() as { pk: string; sk: string; body: string }[])
    .filter((row) => `${row.pk} ${row.sk} ${row.body}`.includes(context.tenant))
    .map(({ pk, sk }) => `${pk} ${sk}`);

/** Handles messages of the housekeeper until the queue is empty. @returns the number of messages */
async function reclaimAll(world: World): Promise<number> {
  const housekeeper = createHousekeeper(world.ports);
  let count = 0;
  for (;;) {
    const due = world.sent.splice(0).filter(({ queue }) => queue === 'housekeeping');
    if (due.length === 0) return count;
    count += due.length;
    const Records = due.map(({ message }, n) => ({
      messageId: String(n),
      body: JSON.stringify(message.body),
      attributes: { ApproximateReceiveCount: '1' },
    }));
    expect(await housekeeper({ Records } as never)).toEqual({ batchItemFailures: [] });
  }
}

/** Runs the next tick of the generator, a minute later. */
async function tick(world: World): Promise<void> {
  world.advance(60_000);
  await emitShards(world, world.keys.shards, world.ports.clock.now());
}

describe('a deleted account', () => {
  it('rejects all of its keys at once, and cannot be enabled again', async () => {
    const world = await full();
    const { key } = await issueAdminKey(world.context, fullKey('x'));
    expect(await endAccount(world.context)).toMatchObject({ disabled: true, deleted_at: expect.any(String) });
    await expect(world.bearer(key)).rejects.toMatchObject({ code: 'ACCOUNT_DISABLED' });
    await expect(enableAccount(world.context)).rejects.toMatchObject({ code: 'CONFLICT' });
  });

  it('leaves only expiring items, and does not change another account', async () => {
    const world = await full();
    const other = await createAccount(world, { email: 'zoe@example.com', name: 'Zoe' });
    await endAccount(world.context);
    await tick(world);
    await reclaimAll(world);
    const rows = (world.store.store.db.prepare('SELECT pk, sk, expires_at FROM items').all() as object[]).filter(
      (row) => !(row as { expires_at: number | null }).expires_at,
    );
    const names = keysLeft(world).filter((name) =>
      rows.some((row) => name === `${(row as { pk: string }).pk} ${(row as { sk: string }).sk}`),
    );
    expect(names).toEqual([]);
    expect(await world.bearer(other.key.key)).toMatchObject({ tenant: other.account.id });
    expect((await allAccounts(world.ports, world.keys)).map(({ id }) => id)).toEqual([other.account.id]);
  });

  it('frees its e-mail address', async () => {
    const world = await full();
    const again = () => createAccount(world, { email: 'ANN@example.com', name: 'Ann' });
    await expect(again()).rejects.toMatchObject({ code: 'CONFLICT' });
    await endAccount(world.context);
    await tick(world);
    await reclaimAll(world);
    await again();
  });

  it('is deleted a page of entities per message', async () => {
    const world = await full(120);
    await endAccount(world.context);
    await tick(world);
    await reclaimAccount(world, { tenant_id: world.context.tenant });
    const requests = world.sent.map(({ message }) => messages.housekeeping.safeParse(message.body).data);
    expect(requests).toContainEqual({ tenant_id: world.context.tenant, account: true });
    await reclaimAll(world);
    expect(await allAccounts(world.ports, world.keys)).toEqual([]);
  });

  it('has its deletion requested at each tick until it is complete, in case a message is lost', async () => {
    const world = await full();
    await endAccount(world.context);
    const requestCount = () =>
      world.sent.splice(0).filter(({ message }) => 'account' in (message.body as object)).length;
    for (let n = 0; n < 2; n++) {
      await tick(world);
      expect(requestCount()).toBe(1);
    }
    await reclaimAccount(world, { tenant_id: world.context.tenant });
    world.sent.length = 0;
    await tick(world);
    expect(requestCount()).toBe(0);
  });

  it('is deleted completely even if requests repeat and overlap', async () => {
    const world = await full();
    await endAccount(world.context);
    await endAccount(world.context);
    const once = () => reclaimAccount(world, { tenant_id: world.context.tenant });
    await Promise.all([once(), once(), once()]);
    await once();
    expect(await allAccounts(world.ports, world.keys)).toEqual([]);
  });
});

it('keeps an account that is not deleted', async () => {
  const world = await full();
  const before = keysLeft(world);
  await reclaimAccount(world, { tenant_id: world.context.tenant });
  expect(keysLeft(world)).toEqual(before);
});
