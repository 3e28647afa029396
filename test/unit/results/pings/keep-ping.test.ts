import { describe, expect, it } from 'vitest';
import type { AccountItem } from '#lib/access/account.ts';
import { type CheckItem, nextCheck, replaceCheck } from '#lib/checks/check-item.ts';
import { PINGS, under } from '#lib/keys.ts';
import type { Table } from '#lib/platform/ports.ts';
import { type Ping, receivePing } from '#lib/results/pings/receive-ping.ts';
import { detectMissedHeartbeat } from '#lib/results/pushes/missed-heartbeat.ts';
import type { DeadlineEntry } from '#lib/schedule/entries.ts';
import { type HealthWorld, healthWorld } from '#test/support/health-world.ts';

const ping = (kind: Ping['kind'], more: Partial<Ping> = {}): Ping => ({
  kind,
  exit_status: null,
  method: 'POST',
  remote_addr: '192.0.2.1',
  user_agent: 'curl/8.5.0',
  body: '',
  key: undefined,
  ...more,
});
const write = async (world: HealthWorld, check: CheckItem, changes: Partial<CheckItem>) => {
  const next = nextCheck(check, world.ports.ids.token(), changes);
  expect((await world.ports.table.transact([replaceCheck(check, next)])).ok).toBe(true);
  return next;
};

describe('the start of a run', () => {
  it('clears the mark of a missed-heartbeat detection, which then cannot commit on stale data', async () => {
    const world = await healthWorld();
    const check = await world.pushCheck();
    await world.push(check);
    const marked = await write(world, await world.fresh(check), {});
    await write(world, marked, { missed_mark: 'under way', missed_at: 1 });
    await receivePing(world, await world.fresh(check), ping('start'), 30);
    const now = world.ports.clock.now();
    const fresh = await world.fresh(check);
    expect(fresh).toMatchObject({ runs: [{ started_at: now, received_at: now }], last_received: { received_at: now } });
    expect(fresh.missed_mark).toBeUndefined();
    expect(fresh.missed_at).toBeUndefined();
  });

  it('sets the deadline by its own time when a detection moves the deadline concurrently', async () => {
    const world = await healthWorld();
    const { ports, keys, context } = world;
    const check = await world.pushCheck({ config: { grace_seconds: 3600, max_run_seconds: 10 } });
    await world.push(check);
    const entry = keys.entry('missed_heartbeat', check.tenant_id, check.id);
    const deadline = async () => (await ports.table.get<DeadlineEntry>(entry))!.deadline;
    const first = await deadline();
    world.advance(60_000);
    await world.push(check);
    world.advance(first - ports.clock.now() - 500);
    const startedAt = ports.clock.now();
    const fresh = await world.fresh(check);

    // Another process finds the second push and moves the deadline, just before the start is committed.
    const detection = async () => {
      world.advance(500);
      await world.watermark(60_000);
      const due = {
        kind: 'missed_heartbeat' as const,
        tenant_id: check.tenant_id,
        entity_id: check.entity_id,
        at: first,
      };
      const account = (await ports.table.get<AccountItem>(keys.account(context.tenant)))!;
      await detectMissedHeartbeat(world, { ...due, check_id: check.id }, account);
    };
    let isFirst = true;
    const table: Table = {
      ...ports.table,
      transact: async (writes) => {
        if (isFirst) {
          isFirst = false;
          await detection();
        }
        return ports.table.transact(writes);
      },
    };
    await receivePing({ ...world, ports: { ...ports, table } }, fresh, ping('start'), 30);
    expect(await deadline()).toBeLessThanOrEqual(startedAt + 11_000);
  });

  it('retries if the check changed since it was read, and opens one run', async () => {
    const world = await healthWorld();
    const check = await world.pushCheck();
    await receivePing(world, check, ping('start', { rid: 'a' }), 30);
    // `check` is the version from before the first start.
    await receivePing(world, check, ping('start', { rid: 'b' }), 30);
    expect((await world.fresh(check)).runs).toMatchObject([{ rid: 'a' }, { rid: 'b' }]);
  });

  it('is stored without effect beyond the maximum number of open runs, or on a disabled check', async () => {
    const world = await healthWorld();
    const check = await world.pushCheck();
    const start = async (rid: string) => receivePing(world, await world.fresh(check), ping('start', { rid }), 30);
    for (let i = 0; i < 10; i++) await start(`r${i}`);
    const before = await world.fresh(check);
    await start('one too many');
    expect(await world.fresh(check)).toEqual(before);
    await write(world, before, { enabled: false });
    const off = await world.fresh(check);
    await start('disabled');
    expect(await world.fresh(check)).toEqual(off);
    const partition = world.keys.ofCheck(check.tenant_id, check.id);
    expect((await world.ports.table.query({ partition, ...under(PINGS) })).items).toHaveLength(12);
  });

  it('costs one write and one read; a success without an open run costs the same, but does not write the check', async () => {
    const world = await healthWorld();
    const check = await world.pushCheck();
    await world.push(check);
    const costs = async (one: Ping) => {
      const fresh = await world.fresh(check);
      const { writes, reads } = { ...world.requests };
      await receivePing(world, fresh, one, 30);
      const after = await world.fresh(check);
      return {
        writes: world.requests.writes - writes,
        reads: world.requests.reads - reads - 1,
        same: after.v === fresh.v,
      };
    };
    expect(await costs(ping('success'))).toEqual({ writes: 1, reads: 1, same: true });
    expect(await costs(ping('log'))).toEqual({ writes: 1, reads: 0, same: true });
    expect(await costs(ping('start'))).toEqual({ writes: 1, reads: 1, same: false });
    expect(await costs(ping('success', { body: 'copied 3 tables' }))).toMatchObject({ writes: 2, same: false });
  });
});
