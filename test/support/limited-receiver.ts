import { deliver } from '#lib/alerting/notify/deliver.ts';
import type { DeliveryItem } from '#lib/alerting/notify/delivery-item.ts';
import { createDelivery, newDelivery } from '#lib/alerting/notify/fan-out.ts';
import type { DeliveryMessage } from '#lib/messages.ts';
import { FairSemaphore } from '#lib/platform/sharing/fair-semaphore.ts';
import { iso } from '#lib/platform/time.ts';
import { alertWorld, START, TENANT } from './alert-world.ts';

/**
 * `burst` requests are accepted at once, and one more each `refill_ms`; excess requests get `retry_s` as Retry-After.
 */
type Limit = { burst: number; refill_ms: number; retry_s: number };

/** Builds a deliverer with one channel whose receiver has the given limit. */
export async function limitedReceiver({ burst, refill_ms, retry_s }: Limit) {
  const world = await alertWorld();
  // High enough that only the receiver limits the alerts.
  await world.put({ ...world.account, alerts_per_minute_limit: 1_000_000 });
  const channel = {
    id: 'chn_a',
    channel_type: 'slack',
    config: { url: 'https://x.test/hook' },
    created_at: iso(START),
  };
  await world.putPolicy([channel]);
  const transition = await world.put(world.transition([channel.id]));
  const requests: { at: number; status: 200 | 429 }[] = [];
  let tokens = burst;
  let filled_at = world.now();
  world.ports.net.http = async () => {
    const at = world.now();
    tokens = Math.min(burst, tokens + (at - filled_at) / refill_ms);
    filled_at = at;
    const status = tokens >= 1 ? 200 : 429;
    if (status === 200) tokens--;
    requests.push({ at, status });
    return { status, headers: { 'retry-after': String(retry_s) }, body: '', latency_ms: 1 };
  };

  const permits = new FairSemaphore({ permits: 200, wait_ms: 1000 }, world.ports.clock);
  const ids: string[] = [];
  const recorded: (DeliveryItem | undefined)[] = [];
  const run = async () => {
    for (const { body } of world.takeDue('delivery'))
      await deliver({ ...world, permits }, body as DeliveryMessage, 'more');
  };
  return {
    requests,
    /** Creates alerts that were decided `age_ms` ago. */
    alert: async (count: number, age_ms = 0): Promise<void> => {
      for (let i = 0; i < count; i++) {
        const alert = world.alertOf({ ...transition, transition_id: `trn_${i}` }, [channel.id], {
          at: world.now() - age_ms,
        });
        const target = { ...alert.to[0]!, channel_type: channel.channel_type };
        const { id } = await createDelivery(world, newDelivery(world, alert, target));
        await world.ports.queues.send('delivery', [{ body: { tenant_id: TENANT, delivery_id: id } }]);
        ids.push(id);
      }
    },
    /** Advances the clock, and delivers each message when it is due. */
    pass: async (ms: number): Promise<void> => {
      const until = world.now() + ms;
      for (;;) {
        await run();
        const next = Math.min(...world.sent.map(({ not_before }) => not_before ?? 0));
        if (next > until) break;
        world.pass(next - world.now());
      }
      world.pass(until - world.now());
      recorded.splice(0, recorded.length, ...(await Promise.all(ids.map((id) => world.delivery(id)))));
    },
    /** `sent after 1`: the outcome and attempts of each alert, as of the last `pass`. */
    log: (): string[] => recorded.map((one) => `${one?.status} after ${one?.attempts}`),
    /** Times at which the receiver accepted a request, in ms after the first request. */
    took: (): number[] => requests.filter(({ status }) => status === 200).map(({ at }) => at - (requests[0]?.at ?? at)),
    /** Shortest time from a 429 to the next request (ms). */
    soonestAfterRefusal: (): number =>
      Math.min(
        ...requests.flatMap(({ at, status }, i) => {
          const next = status === 429 && requests.slice(i).find((one) => one.at > at);
          return next ? [next.at - at] : [];
        }),
      ),
    [Symbol.dispose]: () => world.table.store.close(),
  };
}
