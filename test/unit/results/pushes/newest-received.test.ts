import { expect, it } from 'vitest';
import { updateCheck } from '#lib/checks/change/change-check.ts';
import { newestReceived, pushTimesOf, staleAfter } from '#lib/results/pushes/newest-received.ts';
import type { ResultItem } from '#lib/results/result.ts';
import { healthWorld } from '#test/support/health-world.ts';

const world = await healthWorld();
const { ports } = world;
const MINUTE = 60_000;

it.each([
  ['as its checked_at says', 5_000, 7_000, { at: 5_000, received_at: 7_000 }],
  ['as of its arrival when it comes from the future', 9_000, 7_000, { at: 7_000, received_at: 7_000 }],
])('orders a push %s', (_what, at, received_at, times) => {
  const item = { ...world.keys.result('t', 'chk_1', at, 'x'), received_at } as ResultItem;
  expect(pushTimesOf(item)).toEqual(times);
});

it.each([
  [10, 60_000],
  [60, 60_000],
  [3600, 3_600_000],
])('with an interval of %i s, does not apply a push that is over %i ms older than the newest', (seconds, stale) => {
  expect(staleAfter({ interval_seconds: seconds })).toBe(stale);
});

it('returns undefined before the first push', async () => {
  expect(await newestReceived(world, await world.pushCheck())).toBeUndefined();
});

it('returns the times of a quiet push that is newer than the push stored in the check', async () => {
  const check = await world.pushCheck();
  await world.push(check);
  world.advance(MINUTE);
  await world.push(check);
  const stored = await world.fresh(check);
  const now = ports.clock.now();
  expect(stored.last_received?.received_at).toBe(now - MINUTE);
  expect(await newestReceived(world, stored)).toEqual({ at: now, received_at: now });
});

it('ignores a push that was stored but not applied', async () => {
  const check = await world.pushCheck();
  await world.push(check);
  const first = ports.clock.now();
  await updateCheck(world.context, await world.fresh(check), { enabled: false });
  world.advance(MINUTE);
  await world.push(check);
  expect(await newestReceived(world, await world.fresh(check))).toEqual({ at: first, received_at: first });
});

it('returns the times stored in the check while a heartbeat is missed', async () => {
  const check = { ...(await world.pushCheck()), missed_at: 1, last_received: { at: 3, received_at: 4 } };
  expect(await newestReceived(world, check)).toEqual({ at: 3, received_at: 4 });
});
