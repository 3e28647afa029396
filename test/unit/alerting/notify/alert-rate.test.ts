import * as fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { create } from '#functions/deliverer.ts';
import { create as createNotifier } from '#functions/notifier.ts';
import { alertItem } from '#lib/alerting/decide/alert-item.ts';
import type { Channel } from '#lib/alerting/policy/policy.ts';
import { fullBucket, refilled, reserveFrom } from '#lib/platform/sharing/rates.ts';
import { iso } from '#lib/platform/time.ts';
import { type AlertWorld, alertWorld, queueEvent, START, streamEvent, TENANT } from '#test/support/alert-world.ts';

describe('reserveFrom', () => {
  const rate = fc.record({ gap_ms: fc.integer({ min: 1, max: 60_000 }), burst: fc.integer({ min: 1, max: 50 }) });
  const arrivals = fc.array(fc.nat(100_000), { minLength: 1, maxLength: 200 }).map((all) => all.sort((a, b) => a - b));

  it('never exceeds the burst and rate in a range of time, keeps the order, and does not wait within the burst', () => {
    fc.assert(
      fc.property(rate, arrivals, ({ gap_ms, burst }, arrivals) => {
        const rate = { per_second: 1000 / gap_ms, burst };
        let bucket = fullBucket(rate, 0);
        const sent = arrivals.map((now) => {
          const next = reserveFrom(refilled(bucket, rate, now), rate);
          bucket = next.bucket;
          return now + next.wait_ms;
        });
        for (const [i, at] of sent.entries()) {
          expect(at).toBeGreaterThanOrEqual(Math.max(arrivals[i]!, sent[i - 1] ?? 0));
          if (i < rate.burst) expect(at).toBe(arrivals[i]);
          for (let from = 0; from <= i; from++)
            expect(i - from + 1).toBeLessThanOrEqual(rate.burst + (at - sent[from]! + 1) / gap_ms);
        }
      }),
    );
  });
});

describe('alerts beyond the rate of the account', () => {
  let world: AlertWorld;
  let posts: { at: number; url: string; body: string }[];
  let made = 0;
  beforeEach(async () => {
    world = await alertWorld();
    posts = [];
    world.ports.net.http = async ({ url, body = '' }) => {
      posts.push({ at: world.now(), url, body });
      return { status: 200, headers: {}, body: '', latency_ms: 1 };
    };
  });

  const channelAt = (id: string, channel_type: string, config: Record<string, string>): Channel => ({
    ...{ id, channel_type, config, destination: id, created_at: iso(START) },
  });
  const slack = (path: string) => channelAt(path, 'slack', { url: `https://hooks.test/${path}` });
  const pagerduty = channelAt('pages', 'pagerduty', { routing_key: 'a'.repeat(32) });

  /** Sets the limit of the account, and the channels of the check. */
  async function limit(perMinute: number, ...channels: Channel[]): Promise<void> {
    await world.put({ ...world.account, alerts_per_minute_limit: perMinute });
    await world.putPolicy(channels);
  }

  /** Adds an alert for a channel now, and returns the id of its delivery. */
  async function alert(channel: Channel): Promise<string> {
    made++;
    const at = world.now();
    const key = world.keys.transition(TENANT, world.check.id, at, made);
    const transition = await world.put(
      world.transition([], { ...key, transition_id: `trn_${made}`, timestamp: iso(at) }),
    );
    const item = alertItem(world.keys, {
      ...{ tenant_id: TENANT, check_id: world.check.id, entity_id: world.entity.id, transition },
      ...{ kind: 'state_change', at, n: made, channels: [channel], reports_state: 'down' },
      expires_at: transition.expires_at,
    });
    await createNotifier(world.ports)(streamEvent(await world.put(item)));
    return item.to[0]!.delivery_id;
  }

  /** Lets time pass, and handles the deliveries that become due. */
  async function pass(ms: number): Promise<void> {
    const until = world.now() + ms;
    for (;;) {
      await create(world.ports)(queueEvent(world.takeDue('delivery').map((one) => one.body)));
      const next = Math.min(...world.sent.map(({ not_before = 0 }) => not_before));
      if (next > until) break;
      world.pass(Math.max(0, next - world.now()));
    }
    world.pass(until - world.now());
  }

  it('are combined per channel in messages within the rate, and each delivery names its message', async () => {
    const channels = ['a', 'b', 'c'].map(slack);
    await limit(60, ...channels);
    const ids: string[] = [];
    for (let i = 0; i < 60; i++) ids.push(await alert(channels[i % 3]!));
    await pass(100);
    expect(posts).toHaveLength(6);
    expect(await world.delivery(ids[20]!)).toMatchObject({
      ...{ status: 'pending', error: expect.stringContaining('alerts_per_minute_limit'), combined_in: null },
    });
    await pass(4_000);
    expect(posts).toHaveLength(9);
    expect(posts.slice(6).map(({ body }) => JSON.parse(body).text)).toEqual(
      Array(3).fill(':red_circle: 18 alerts: 18 down'),
    );
    const found = await Promise.all(ids.map(world.delivery));
    expect(found.map((one) => one?.status)).toEqual(ids.map(() => 'sent'));
    expect(new Set(found.slice(6).map((one) => one?.combined_in)).size).toBe(3);
    await pass(700_000);
    expect(posts).toHaveLength(9);
    expect(world.sent).toEqual([]);
  });

  it('are sent one by one, in order, to a receiver that opens a case per check, without delaying others', async () => {
    const other = slack('other');
    await limit(60, pagerduty, other);
    const ids: string[] = [];
    for (let i = 0; i < 30; i++) {
      ids.push(await alert(pagerduty));
      world.pass(1);
    }
    await pass(100);
    await alert(pagerduty);
    await pass(10);
    await alert(other);
    await pass(10);
    expect(posts.filter(({ url }) => url.includes('hooks.test'))).toHaveLength(1);
    await pass(40_000);
    const pages = posts.filter(({ url }) => url.includes('pagerduty')).map(({ at }) => at);
    expect(pages).toHaveLength(31);
    for (const [i, at] of pages.entries()) if (i > 6) expect(at - pages[i - 1]!).toBeGreaterThanOrEqual(999);
    const sent = await Promise.all(ids.map(async (id) => (await world.delivery(id))?.sent_at));
    expect(sent).toEqual(sent.toSorted());
  });

  it('are sent after a crash at any step', async () => {
    const channel = slack('a');
    await limit(60, channel);
    const ids: string[] = [];
    for (let i = 0; i < 20; i++) ids.push(await alert(channel));
    const messages = world.sent.map(({ body }) => body);
    for (let writes = 1; writes <= 40; writes++) {
      let left = writes;
      const { transact } = world.ports.table;
      world.ports.table.transact = (all) => (left-- > 0 ? transact(all) : Promise.reject(new Error('killed')));
      await create(world.ports)(queueEvent(messages));
      world.ports.table.transact = transact;
      world.pass(500);
    }
    await create(world.ports)(queueEvent(messages));
    await pass(60_000);
    for (const id of ids) expect(await world.delivery(id)).toMatchObject({ status: 'sent' });
  });
});
