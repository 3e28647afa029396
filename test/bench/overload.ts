import { setTimeout as pause } from 'node:timers/promises';
import { makeChecks, startTarget } from '#test/long/fleet.ts';
import { watch } from '#test/long/process-tree.ts';
import type { Client } from '#test/support/client.ts';
import { got, newCheck } from '#test/support/fleet.ts';
import { startRealService } from '#test/support/real-service.ts';
import { type Figures, quantile } from './figures.ts';

/** Number of checks per step, each due once a second. The machine of docs/develop/figures.md runs about 4,000. */
const STEPS = (process.env.OVERLOAD_CHECKS ?? '2000,4000,8000,16000').split(',').map(Number);
/** Duration of the warm-up and of the measurement of each step (s). */
const RUN_IN_S = Number(process.env.OVERLOAD_RUN_IN_S ?? 120);
const HELD_S = Number(process.env.OVERLOAD_HELD_S ?? 120);

/**
 * Measures overload by checks that are created through the API while others run: runs per second, the mean and maximum
 * share of lost slots of a check, and the latency of API calls and heartbeats.
 */
export async function overload(): Promise<Figures> {
  const figures: Figures = {};
  for (const checks of STEPS) {
    for (const [name, value] of Object.entries(await step(checks))) figures[`${name}_with_${checks}`] = value;
  }
  return figures;
}

async function step(count: number): Promise<Figures> {
  await using service = await startRealService();
  using target = await startTarget();
  const pushed = await newCheck(service.client, {});
  const begun = performance.now();
  const { checks } = await makeChecks(service, count, 1, target.url);
  const made_s = (performance.now() - begun) / 1000;
  await pause(RUN_IN_S * 1000);

  const usage = watch(service.pid());
  const before = (await target.arrivals()).numbers.length;
  const stop = new AbortController();
  const calls = callRepeatedly(stop.signal, () => get(service.client, checks[count >> 1]!.id));
  const beats = callRepeatedly(stop.signal, () => beat(service.client, pushed.id));
  const from = Date.now();
  await pause(HELD_S * 1000);
  const seconds = (Date.now() - from) / 1000;
  stop.abort();
  const { cpu_s, peak_bytes } = usage.end();
  const executed = (await target.arrivals()).numbers.slice(before);
  const [called, beaten] = await Promise.all([calls, beats]);

  const times = new Map(checks.map(({ number }) => [number, 0]));
  for (const number of executed) times.set(number, (times.get(number) ?? 0) + 1);
  const lost = [...times.values()].map((n) => Math.max(0, 1 - n / seconds));
  const mean = lost.reduce((sum, share) => sum + share, 0) / lost.length;
  return {
    made_s,
    executed_per_s: executed.length / seconds,
    cpu_s_per_1000: (1000 * cpu_s) / executed.length,
    lost_share_mean: mean,
    lost_share_worst: Math.max(...lost),
    api_ms_p95: quantile(called.ms, 0.95),
    heartbeat_ms_p95: quantile(beaten.ms, 0.95),
    refused: called.refused + beaten.refused,
    memory_mb: peak_bytes / 2 ** 20,
  };
}

/** Sends up to ten calls per second, one at a time, and counts failures. */
async function callRepeatedly(signal: AbortSignal, call: () => Promise<void>) {
  const ms: number[] = [];
  let refused = 0;
  while (!signal.aborted) {
    const began = performance.now();
    await call().catch(() => {
      refused++;
    });
    ms.push(performance.now() - began);
    await pause(100);
  }
  return { ms, refused };
}

const get = async (client: Client, id: string): Promise<void> => void got(await client.get(`/v1/checks/${id}`), 200);
const beat = async (client: Client, id: string): Promise<void> =>
  void got(await client.post(`/v1/checks/${id}/heartbeat`), 201);
