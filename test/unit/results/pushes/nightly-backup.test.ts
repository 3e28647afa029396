import { beforeEach, describe, expect, it } from 'vitest';
import { handleDeadlines } from '#lib/alerting/deadlines/handle-deadlines.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import type { TransitionItem } from '#lib/checks/state/transition.ts';
import { TRANSITIONS, under } from '#lib/keys.ts';
import { allOf } from '#lib/platform/table/pages.ts';
import { keepPing } from '#lib/results/pings/receive-ping.ts';
import { receivePush } from '#lib/results/pushes/receive-push.ts';
import { wallClock } from '#lib/schedule/calendar/calendar.ts';
import type { EntryItem } from '#lib/schedule/entries.ts';
import { recordOutage } from '#lib/schedule/outages.ts';
import { type HealthWorld, healthWorld } from '#test/support/health-world.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const BERLIN = 'Europe/Berlin';
const NIGHTLY = { schedule: '30 2 * * *', timezone: BERLIN };

let world: HealthWorld;
beforeEach(async () => {
  world = await healthWorld();
});

const now = () => world.ports.clock.now();

/** Lets time pass until an instant (epoch ms), with every deadline handled on time. */
async function until(end: number): Promise<void> {
  for (;;) {
    const entries = (
      await Promise.all(
        world.keys.shards.map((shard) => allOf<EntryItem>(world.ports.table, { partition: world.keys.entries(shard) })),
      )
    ).flat();
    const next = entries
      .flatMap((entry) => ('deadline' in entry && entry.kind === 'missed_heartbeat' ? [entry] : []))
      .sort((a, b) => a.deadline - b.deadline)[0];
    const at = Math.max(now(), next?.deadline ?? Number.POSITIVE_INFINITY);
    if (!next || at > end) break;
    world.advance(at - now());
    await world.watermark(2 * MINUTE);
    const { tenant_id, entity_id, id: check_id, deadline } = next;
    await handleDeadlines(world, [{ kind: 'missed_heartbeat', tenant_id, entity_id, check_id, at: deadline }]);
  }
  world.advance(end - now());
}

/** Returns the transitions of a check by clocks in Berlin: `2026-10-24 03:30:00 down`. */
async function transitionsOf(check: CheckItem): Promise<string[]> {
  const partition = world.keys.ofCheck(check.tenant_id, check.id);
  const items = await allOf<TransitionItem>(world.ports.table, { partition, ...under(TRANSITIONS) });
  return items.map((one) => `${wallClock(BERLIN, Date.parse(one.timestamp))} ${one.check_to_state}`);
}

const errorsOf = async (check: CheckItem): Promise<string[]> =>
  (
    await allOf<TransitionItem>(world.ports.table, {
      partition: world.keys.ofCheck(check.tenant_id, check.id),
      ...under(TRANSITIONS),
    })
  ).flatMap(({ check_to_state, error_message }) => (check_to_state === 'down' ? [error_message] : []));

const RID = (n: number) => `00000000-0000-4000-8000-00000000000${n}`;

async function start(check: CheckItem, rid?: string): Promise<void> {
  const facts = {
    kind: 'start' as const,
    exit_status: null,
    method: 'GET',
    remote_addr: '',
    user_agent: '',
    body_bytes: 0,
  };
  const kept = { facts: { ...facts, ...(rid && { rid }) }, body: '', key: undefined };
  await keepPing(world, await world.fresh(check), kept, 30);
}

async function end(check: CheckItem, rid?: string): Promise<void> {
  const push = { success: true, latency_ms: 0, status_code: 0, error_message: '', checked_at: undefined };
  await receivePush(
    world,
    await world.fresh(check),
    { ...push, identity: undefined, ends: { rid, measured: true } },
    30,
  );
}

/** Creates a check in the evening before its first run. */
async function nightly(more: object = {}, made = Date.UTC(2026, 9, 1, 18)): Promise<CheckItem> {
  world.advance(made - now());
  return world.pushCheck({ config: { ...NIGHTLY, ...more } });
}

/** Returns the due time (epoch ms) of 02:30 in Berlin on a day: an hour earlier in UTC in summer than in winter. */
function dueOn(day: number): number {
  const date = new Date(day).toISOString().slice(0, 10);
  // Clocks skip 02:30: 02:00 becomes 03:00.
  if (date === '2027-03-28') return day + HOUR;
  return day + (date <= '2026-10-25' || date > '2027-03-28' ? 0.5 : 1.5) * HOUR;
}

describe('a nightly backup at 02:30 in Berlin', () => {
  it('goes down at 03:30 after each night without a report, and at no other time, from October to April', async () => {
    const check = await nightly();
    // An hour after it was due: clocks show 02:30 when they are set back, and 04:00 when they are set forward.
    const missed = new Map([
      ['2026-10-23', '03:30'],
      ['2026-10-25', '02:30'],
      ['2026-12-24', '03:30'],
      ['2026-12-25', 'still down'],
      ['2027-03-28', '04:00'],
      ['2027-03-30', '03:30'],
    ]);
    const expected: string[] = [];
    let isDown = true;
    for (let day = Date.UTC(2026, 9, 2); day < Date.UTC(2027, 3, 30); day += 24 * HOUR) {
      const date = new Date(day).toISOString().slice(0, 10);
      // The backup takes between 10 and 50 minutes.
      await until(dueOn(day) + (10 + (day % 41)) * MINUTE);
      if (!missed.has(date)) await world.push(check);
      await until(dueOn(day) + 3 * HOUR);
      if (missed.has(date) && !isDown) expected.push(`${date} ${missed.get(date)}:00 down`);
      if (!missed.has(date) && isDown) expected.push('up');
      isDown = missed.has(date);
    }
    const found = await transitionsOf(check);
    expect(found.map((text) => (text.endsWith(' up') ? 'up' : text))).toEqual(expected);
    expect((await errorsOf(check))[0]).toEqual(
      expect.stringMatching(
        /^no heartbeat for the run due 2026-10-23 02:30 Europe\/Berlin \(grace 3600 s\); last 2026-10-22 0[23]:\d\d$/,
      ),
    );
  }, 120_000);

  it('goes down when a run hangs beyond its maximum duration', async () => {
    const check = await nightly({ max_run_seconds: 2 * 3600 });
    const due = dueOn(Date.UTC(2026, 9, 2));
    await until(due + 4000);
    await start(check);
    await until(due + 24 * HOUR - MINUTE);
    expect(await transitionsOf(check)).toEqual(['2026-10-02 04:30:04 down']);
    expect(await errorsOf(check)).toEqual(['started 2026-10-02 02:30:04 but not finished within 7200 s']);
    // The end of the run still arrives.
    await end(check);
    expect(await world.fresh(check)).toMatchObject({ state: 'up' });
    expect((await world.fresh(check)).runs).toBeUndefined();
  });

  it('goes down without a first run in time, if one is expected', async () => {
    const check = await nightly({ expect_first_within_seconds: 90_000 });
    const other = await world.pushCheck({ config: NIGHTLY });
    await until(now() + 5 * 24 * HOUR);
    expect(await transitionsOf(check)).toEqual(['2026-10-02 21:00:00 down']);
    expect(await errorsOf(check)).toEqual(['no heartbeat within 90000 s of its creation']);
    expect(await transitionsOf(other)).toEqual([]);
  });

  it('does not go down because of ten minutes of service outage at 02:30', async () => {
    const check = await nightly();
    const due = dueOn(Date.UTC(2026, 9, 2));
    await until(due);
    await end(check);
    await until(due + 24 * HOUR + 5 * MINUTE);
    await recordOutage(world, { from: now() - 10 * MINUTE, to: now() });
    await until(due + 47 * HOUR);
    expect(await transitionsOf(check)).toEqual(['2026-10-02 02:30:00 up']);
    await until(due + 50 * HOUR);
    expect(await transitionsOf(check)).toEqual(['2026-10-02 02:30:00 up', '2026-10-04 03:30:00 down']);
  });

  it('does not go down because of a run whose end can have been lost in an outage', async () => {
    const check = await nightly();
    const due = dueOn(Date.UTC(2026, 9, 2));
    await until(due + 1000);
    await start(check);
    await until(due + 20 * MINUTE);
    await recordOutage(world, { from: now() - 10 * MINUTE, to: now() });
    await until(due + 20 * HOUR);
    expect(await transitionsOf(check)).toEqual([]);
  });

  it('does not go down because of a report ten seconds early', async () => {
    const check = await nightly();
    for (let day = Date.UTC(2026, 9, 2); day < Date.UTC(2026, 9, 6); day += 24 * HOUR) {
      await until(dueOn(day) - 10_000);
      await end(check);
    }
    expect(await transitionsOf(check)).toEqual(['2026-10-02 02:29:50 up']);
  });

  it('goes down when one of two overlapping runs hangs', async () => {
    const check = await nightly({ max_run_seconds: 1800 });
    const due = dueOn(Date.UTC(2026, 9, 2));
    await until(due);
    await start(check, RID(1));
    await until(due + 5 * MINUTE);
    await start(check, RID(2));
    await until(due + 10 * MINUTE);
    await end(check, RID(2));
    await until(due + 23 * HOUR);
    expect(await transitionsOf(check)).toEqual(['2026-10-02 02:40:00 up', '2026-10-02 03:00:00 down']);
    expect(await errorsOf(check)).toEqual(['started 2026-10-02 02:30:00 but not finished within 1800 s']);
  });
});
