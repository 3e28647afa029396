import { beforeEach, describe, expect, it } from 'vitest';
import type { AccountItem } from '#lib/access/account.ts';
import { handleDeadlines } from '#lib/alerting/deadlines/handle-deadlines.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import { RESULTS } from '#lib/keys.ts';
import type { DueDeadline } from '#lib/messages.ts';
import type { Item } from '#lib/platform/ports.ts';
import { type HealthWorld, healthWorld } from '#test/support/health-world.ts';

const MINUTE = 60_000;
let world: HealthWorld;
beforeEach(async () => {
  world = await healthWorld();
});

/**
 * Creates push checks with an interval of one minute, whose last heartbeat was ten minutes ago. Returns them and their
 * overdue deadlines.
 */
async function silentChecks(count: number) {
  const checks: CheckItem[] = [];
  for (let i = 0; i < count; i++) checks.push(await world.pushCheck({ interval_seconds: 60 }));
  for (const check of checks) await world.push(check);
  world.advance(10 * MINUTE);
  await world.watermark(MINUTE);
  world.sent.length = 0;
  const deadlines = checks.map(({ id, tenant_id, entity_id }): DueDeadline => {
    return { kind: 'missed_heartbeat', tenant_id, entity_id, check_id: id, at: world.ports.clock.now() };
  });
  return { checks, deadlines };
}

/** Returns the error kinds of the results of a check, newest first. */
const errorsOf = async ({ tenant_id, id }: CheckItem) => {
  const page = await world.ports.table.query<Item & { error_kind?: string | null }>({
    partition: world.keys.ofCheck(tenant_id, id),
    from: RESULTS,
    to: `${RESULTS}~`,
    descending: true,
  });
  return page.items.map((item) => item.error_kind);
};

const sentDeadlines = () =>
  world.sent.flatMap(({ queue, message }) =>
    queue === 'deadline' ? [(message.body as { deadlines: DueDeadline[] }).deadlines] : [],
  );

describe('handleDeadlines', () => {
  it('handles all deadlines of a message, and sends the next ones together', async () => {
    const { checks, deadlines } = await silentChecks(3);
    await handleDeadlines(world, deadlines);
    for (const check of checks) expect(await errorsOf(check)).toEqual(['missed_heartbeat', null]);
    const ids = sentDeadlines().map((message) => message.map((deadline) => deadline.check_id).sort());
    expect(ids).toEqual([checks.map(({ id }) => id).sort()]);
  });

  it('handles the others when one fails, and only that one when repeated', async () => {
    const { checks, deadlines } = await silentChecks(3);
    const broken = world.keys.entry('missed_heartbeat', checks[1]!.tenant_id, checks[1]!.id).sk;
    const { get } = world.ports.table;
    world.ports.table.get = (key) => (key.sk === broken ? Promise.reject(new Error('throttled')) : get(key));
    await expect(handleDeadlines(world, deadlines)).rejects.toThrow('1 of 3 deadlines failed');
    expect(await Promise.all(checks.map(errorsOf))).toEqual([
      ['missed_heartbeat', null],
      [null],
      ['missed_heartbeat', null],
    ]);
    expect(sentDeadlines().flat()).toHaveLength(2);

    world.ports.table.get = get;
    await handleDeadlines(world, deadlines);
    expect(await Promise.all(checks.map(errorsOf))).toEqual(Array(3).fill(['missed_heartbeat', null]));
    expect(sentDeadlines().flat()).toHaveLength(3);
  });

  it('does not handle deadlines of a disabled account', async () => {
    const { checks, deadlines } = await silentChecks(1);
    const account = await world.ports.table.get<AccountItem>(world.keys.account(checks[0]!.tenant_id));
    const disabled: AccountItem = { ...account!, disabled: true };
    await world.ports.table.putMany([disabled]);
    await handleDeadlines(world, deadlines);
    expect(await errorsOf(checks[0]!)).toEqual([null]);
    expect(sentDeadlines()).toEqual([]);
  });
});
