import { describe, expect, it } from 'vitest';
import { ApiFailure } from '#console/api/call.ts';
import { makeLive } from '#console/api/live.ts';
import { entity, liveWorld, settled, transition } from './world.ts';

const STATUS = '/v1/status?counts=false';
const NEWEST = '/v1/status/transitions?limit=100';
const AFTER = '/v1/status/transitions?limit=200&after=';
const OLD = 'tr_0';
const NEWS = `${AFTER}${OLD}`;

async function started(prepare: (world: ReturnType<typeof liveWorld>['world']) => void = () => {}) {
  const { world, ports } = liveWorld();
  world.entities = [entity('ent_shop'), entity('ent_mail')];
  world.feed = [
    transition('tr_1', 'ent_mail', ['unknown', 'up']),
    transition(OLD, 'ent_shop', ['unknown', 'up'], { timestamp: '2026-11-22T11:00:00.000Z' }),
  ];
  prepare(world);
  const live = makeLive(ports);
  live.start();
  await settled();
  world.requests.length = 0;
  const stateOf = (id: string) => live.fleet.value?.get(id)?.state;
  return { world, live, stateOf };
}

describe('makeLive', () => {
  it('reads the whole fleet first, page by page', async () => {
    const { world, ports } = liveWorld();
    world.entities = Array.from({ length: 25 }, (_, i) => entity(`ent_${i}`));
    world.pageSize = 10;
    const live = makeLive(ports);
    live.start();
    await settled();
    expect(live.fleet.value?.size).toBe(25);
    expect(world.requests).toEqual([NEWEST, STATUS, `${STATUS}&cursor=10`, `${STATUS}&cursor=20`]);
  });

  it('continues from the newest transition that is at least 15 s old, and reports each transition once', async () => {
    const { world, live } = await started();
    const before = live.fleet.value;
    for (let i = 0; i < 4; i++) await world.turn();
    expect(world.requests).toEqual([NEWS, NEWS, `${AFTER}tr_1`, `${AFTER}tr_1`]);
    expect(live.fleet.value).toBe(before);
    expect(live.news.value).toEqual({ transitions: [], all: true });
  });

  it('finds a transition that becomes visible after a later one', async () => {
    const { world, live, stateOf } = await started();
    const late = transition('tr_late', 'ent_shop', ['up', 'down'], { timestamp: '2026-11-22T11:59:50.000Z' });
    await world.turn();
    world.feed.splice(1, 0, late);
    await world.turn();
    expect(live.news.value).toEqual({ transitions: [late], all: false });
    expect(stateOf('ent_shop')).toBe('down');
  });

  it.each([-3_600_000, 3_600_000])('finds late transitions with a clock offset of %i ms', async (off) => {
    const { world, live } = await started((one) => {
      one.pass(off);
      one.lastInput += off;
    });
    await world.turn();
    const late = transition('tr_late', 'ent_shop', ['up', 'down'], { timestamp: '2026-11-22T11:59:50.000Z' });
    world.feed.splice(1, 0, late);
    await world.turn();
    expect(live.news.value.transitions).toEqual([late]);
  });

  it('reads the newest transitions at each poll until one is at least 15 s old (settled)', async () => {
    const { world, stateOf } = await started((one) => {
      one.feed = [];
    });
    await world.turn();
    world.feed = [transition('tr_2', 'ent_shop', ['up', 'down'])];
    await world.turn();
    expect(stateOf('ent_shop')).toBe('down');
    for (let i = 0; i < 4; i++) await world.turn();
    expect(world.requests).toEqual([NEWEST, NEWEST, NEWEST, NEWEST, `${AFTER}tr_2`, `${AFTER}tr_2`]);
  });

  it('reads everything again when the settled transition no longer exists', async () => {
    const { world, stateOf } = await started();
    world.feed = [];
    world.entities[0] = entity('ent_shop', { state: 'down' });
    await world.turn();
    expect(world.requests).toEqual([NEWS, NEWEST, STATUS]);
    expect(stateOf('ent_shop')).toBe('down');
  });

  it('repeats a full read that failed', async () => {
    const { world, stateOf } = await started();
    world.entities.push(entity('ent_new', { state: 'down' }));
    world.feed.unshift(transition('tr_2', 'ent_new', ['unknown', 'down']));
    world.failsAt = STATUS;
    await world.turn();
    world.failsAt = undefined;
    await world.turn();
    expect(stateOf('ent_new')).toBe('down');
  });

  it('applies transitions and reports them to pages', async () => {
    const { world, live, stateOf } = await started();
    const down = transition('tr_2', 'ent_shop', ['up', 'down'], { error_message: 'got 500' });
    world.feed.unshift(down);
    await world.turn();
    expect(world.requests).toEqual([NEWS]);
    expect(stateOf('ent_shop')).toBe('down');
    expect(live.fleet.value?.get('ent_shop')).toMatchObject({ error_message: 'got 500', state_since: down.timestamp });
    expect(live.news.value).toEqual({ transitions: [down], all: false });
  });

  it('applies the last of several transitions', async () => {
    const { world, stateOf } = await started();
    world.feed.unshift(transition('tr_2', 'ent_shop', ['up', 'down']));
    world.feed.unshift(transition('tr_3', 'ent_shop', ['down', 'up'], { timestamp: '2026-11-22T12:00:01.000Z' }));
    await world.turn();
    expect(stateOf('ent_shop')).toBe('up');
  });

  it('reads everything again for an unknown entity', async () => {
    const { world, live, stateOf } = await started();
    world.entities.push(entity('ent_new', { state: 'down' }));
    world.feed.unshift(transition('tr_2', 'ent_new', ['unknown', 'down']));
    await world.turn();
    expect(world.requests).toEqual([NEWS, NEWEST, STATUS]);
    expect(stateOf('ent_new')).toBe('down');
    expect(live.news.value.all).toBe(true);
  });

  it('reads everything again after too many transitions', async () => {
    const { world, stateOf } = await started();
    world.entities[1] = entity('ent_mail', { state: 'down' });
    world.feed.unshift(...Array.from({ length: 300 }, (_, i) => transition(`tr_${900 - i}`, 'ent_shop', ['up', 'up'])));
    await world.turn();
    expect(world.requests).toEqual([NEWS, NEWEST, STATUS]);
    expect(stateOf('ent_mail')).toBe('down');
  });

  it('reads everything again after five minutes, because not every change is a transition', async () => {
    const { world, live } = await started();
    world.entities[0] = entity('ent_shop', { name: 'Renamed' });
    world.pass(5 * 60_000);
    await world.turn();
    expect(live.fleet.value?.get('ent_shop')?.name).toBe('Renamed');
  });

  it('reads everything less often for a larger fleet', async () => {
    const { world } = await started((one) => {
      one.pageSize = 2000;
      one.entities.push(...Array.from({ length: 2000 - one.entities.length }, (_, i) => entity(`ent_${i}`)));
    });
    world.pass(9 * 60_000);
    await world.turn();
    expect(world.requests).not.toContain(STATUS);
    world.pass(60_000);
    await world.turn();
    expect(world.requests).toContain(STATUS);
  });

  it('polls every 5 s for an active user, every 15 s after a minute without input, every 60 s when hidden', async () => {
    const { world } = await started();
    expect(world.next()).toBe(5_000);
    world.pass(60_000);
    await world.turn();
    expect(world.next()).toBe(15_000);
    world.hidden = true;
    await world.turn();
    expect(world.next()).toBe(60_000);
  });

  it('polls at once when the user returns after the interval', async () => {
    const { world, live } = await started();
    world.hidden = true;
    await world.turn();
    world.pass(20_000);
    world.hidden = false;
    live.nudge();
    expect(world.next()).toBe(0);
  });

  it('counts failed polls, backs off, and recovers', async () => {
    const { world, live, stateOf } = await started();
    world.fails = new ApiFailure('The service cannot be reached.', { status: 0, code: 'UNREACHABLE' });
    const waits: (number | undefined)[] = [];
    for (let i = 0; i < 5; i++) {
      await world.turn();
      waits.push(world.next());
    }
    expect(waits).toEqual([10_000, 20_000, 40_000, 60_000, 60_000]);
    expect(live.failedPolls.value).toBe(5);
    expect(live.failure.value?.code).toBe('UNREACHABLE');
    expect(stateOf('ent_shop')).toBe('up');
    world.fails = undefined;
    await world.turn();
    expect(live.failedPolls.value).toBe(0);
    expect(live.failure.value).toBeUndefined();
  });

  it('does not poll before Retry-After', async () => {
    const { world, live } = await started();
    world.fails = new ApiFailure('Too many', { status: 429, code: 'RATE_LIMITED', retryAfter: 120 });
    await world.turn();
    expect(world.next()).toBe(120_000);
    live.nudge();
    live.pollNow();
    expect(world.next()).toBe(120_000);
    expect(world.requests).toHaveLength(1);
  });

  it('polls at once when the network is back', async () => {
    const { world, live } = await started();
    world.fails = new ApiFailure('The service cannot be reached.', { status: 0, code: 'UNREACHABLE' });
    await world.turn();
    world.fails = undefined;
    live.pollNow();
    await settled();
    expect(live.failedPolls.value).toBe(0);
  });

  it('drops all data when it stops', async () => {
    const { world, live } = await started();
    live.stop();
    expect(live.fleet.value).toBeUndefined();
    expect(world.next()).toBeUndefined();
  });

  it('ignores the response of a poll after it stopped', async () => {
    const { world, ports } = liveWorld();
    world.entities = [entity('ent_shop')];
    const live = makeLive(ports);
    live.start();
    live.stop();
    await settled();
    expect(live.fleet.value).toBeUndefined();
    expect(live.failedPolls.value).toBe(0);
    expect(world.next()).toBeUndefined();
  });

  it('reads everything again on refresh', async () => {
    const { world, live, stateOf } = await started();
    world.entities.push(entity('ent_new'));
    await live.refresh();
    expect(stateOf('ent_new')).toBe('up');
    expect(world.next()).toBe(5_000);
  });
});
