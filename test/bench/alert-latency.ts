import { setTimeout as pause } from 'node:timers/promises';
import { inParallel, setLimits, startTarget } from '#test/long/fleet.ts';
import { got, newCheck } from '#test/support/fleet.ts';
import { startRealService } from '#test/support/real-service.ts';
import { startReceiver } from '#test/support/webhook-receiver.ts';
import { type Figures, quantile } from './figures.ts';

/** Warm-up (ms), in which all code is loaded; later alerts are measured. */
const WARM_MS = 10_000;

/**
 * Returns the time (ms) from each transition to the arrival of its webhook. The checks run each second, and change
 * state together every two seconds.
 * @param code the checkout whose code runs; default: this one
 */
async function latencies(checks: number, seconds: number, code?: string): Promise<number[]> {
  await using service = await startRealService({}, code);
  using target = await startTarget();
  const receiver = await startReceiver();
  // Otherwise alerts beyond the rate of the account would wait and be combined. An earlier release has no such rate.
  if (code === undefined) await setLimits(service, { 'alerts-per-minute': 1_000_000 });
  const settings = { check_type: 'http', target_url: `${target.url}/flap`, interval_seconds: 1, failure_threshold: 1 };
  const made = await inParallel(Array.from({ length: checks }), 4, async () => {
    const { id } = await newCheck(service.client, settings);
    await service.client.post(`/v1/checks/${id}/policy`, { cooldown_seconds: 0 });
    const channel = { channel_type: 'slack', config: { url: receiver.url } };
    got(await service.client.post(`/v1/checks/${id}/policy/channels`, channel), 201);
    return id as string;
  });
  await pause(WARM_MS);
  const since = new Date().toISOString();
  await pause(seconds * 1000);
  const arrived = new Map(receiver.received.map(({ headers, at }) => [headers['x-service-delivery'], at]));
  const found: number[] = [];
  for (const id of made) {
    for (const transition of got(await service.client.get(`/v1/checks/${id}/transitions?since=${since}`), 200)) {
      const at = arrived.get(transition.alert.deliveries[0]);
      if (at !== undefined) found.push(at - Date.parse(transition.timestamp));
    }
  }
  await receiver.close();
  if (found.length < checks * 5) throw new Error(`Only ${found.length} alerts arrived.`);
  return found;
}

/** Measures the latency of alerts of one check, and of 20 and 100 checks that change at once. */
export async function alertLatency(code?: string): Promise<Figures> {
  const one = await latencies(1, 30, code);
  const some = await latencies(20, 20, code);
  const many = await latencies(100, 20, code);
  return {
    webhook_ms_of_one: quantile(one, 0.5),
    webhook_ms_p50: quantile(some, 0.5),
    webhook_ms_p95: quantile(some, 0.95),
    webhook_ms_of_100_at_once: quantile(many, 0.5),
  };
}
