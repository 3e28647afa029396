import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { latestSlot } from '#lib/schedule/slots.ts';
import { type Check, inParallel, makeChecks, startTarget } from '#test/long/fleet.ts';
import { usageOf, watch } from '#test/long/process-tree.ts';
import { got, newCheck } from '#test/support/fleet.ts';
import { startRealService } from '#test/support/real-service.ts';
import { alertLatency } from './alert-latency.ts';
import { backups } from './backups.ts';
import { dependents } from './dependents.ts';
import { dueTimes } from './due-times.ts';
import { type Figures, quantile } from './figures.ts';
import { freshness } from './freshness.ts';
import { probesOnLambda } from './lambda-probes.ts';
import { overload } from './overload.ts';
import { fleetOf, stored } from './steady-fleet.ts';
import { worstBody } from './worst-body.ts';

/** Runs a program of this folder in its own process, after any node flags, and parses its output. */
async function run(...words: string[]): Promise<Record<string, number>> {
  const { stdout } = await promisify(execFile)(process.execPath, ['--disable-warning=ExperimentalWarning', ...words], {
    cwd: import.meta.dirname,
  });
  return JSON.parse(stdout) as Record<string, number>;
}

/** Memory flags of V8 for the service. */
const MEMORY_FLAGS = createRequire(import.meta.url)('../../infra/local/memory-flags.cjs') as string[];

/** Measures the CPU of a bare GET of node:http on a new connection under the V8 flags of the service, s per 1,000. */
async function bareGet(): Promise<Figures> {
  using target = await startTarget();
  const { requests, cpu_s } = await run(...MEMORY_FLAGS, 'bare-get.ts', `${target.url}/0`, '5');
  return { bare_get_cpu_s_per_1000: (1000 * cpu_s!) / requests! };
}

/**
 * Measures the service at overload: the number of recorded checks per second, the CPU of each including state, schedule
 * and record, and the disk space.
 */
async function saturated(checks = 5000, seconds = 15): Promise<Figures> {
  await using fleet = await fleetOf(checks, 1);
  const { service } = fleet;
  const from = stored(service.dir);
  const usage = watch(service.pid());
  const began = Date.now();
  await pause(seconds * 1000);
  const { cpu_s } = usage.end();
  const to = stored(service.dir);
  const recorded = to.runs - from.runs;
  const elapsed = (Date.now() - began) / 1000;
  return {
    recorded_checks_per_s: recorded / elapsed,
    check_cpu_s_per_1000: (1000 * cpu_s) / recorded,
    disk_mb_a_million_runs: (to.bytes - from.bytes) / recorded,
  };
}

/** Measures the delay of probes after their slot (ms), memory and CPU, with checks at an interval of 10 s. */
async function slotError(
  checks: number,
  seconds: number,
): Promise<{ lateness: number[]; rss_mb: number; cpu_s_per_1000: number }> {
  await using fleet = await fleetOf(checks, 10);
  const { service, target, checks: made } = fleet;
  const before = (await target.arrivals()).at.length;
  const usage = watch(service.pid());
  await pause(seconds * 1000);
  const { cpu_s, peak_bytes } = usage.end();
  const { at, numbers } = await target.arrivals();
  const byNumber = new Map<number, Check>(made.map((check) => [check.number, check]));
  const lateness = at
    .slice(before)
    .map((time, i) => time - latestSlot(byNumber.get(numbers[before + i]!)!.schedule, time));
  return { lateness, rss_mb: peak_bytes / 2 ** 20, cpu_s_per_1000: (1000 * cpu_s) / lateness.length };
}

/** Measures the delay of probes after their slot, memory and CPU with 1,000 checks. */
async function onTime(): Promise<Figures> {
  const { lateness, rss_mb, cpu_s_per_1000 } = await slotError(1000, 30);
  return {
    slot_error_ms_p50: quantile(lateness, 0.5),
    slot_error_ms_p99: quantile(lateness, 0.99),
    memory_mb_1000_checks: rss_mb,
    check_cpu_s_per_1000_at_100_a_second: cpu_s_per_1000,
  };
}

/** Measures a list of 1,000 checks with their latest results, in one call: ms until the whole response has arrived. */
async function newestResults(): Promise<Figures> {
  await using fleet = await fleetOf(1000, 10);
  const { url, client } = fleet.service;
  const times: number[] = [];
  for (let i = 0; i < 20; i++) {
    const began = performance.now();
    const headers = { authorization: `Bearer ${client.key}` };
    const answer = await (await fetch(`${url}/v1/checks?last_result=true`, { headers })).text();
    times.push(performance.now() - began);
    const checks = JSON.parse(answer);
    if (checks.length !== 1000 || checks.some((check: { last_result: unknown }) => check.last_result === null))
      throw new Error('A check is missing or has no result.');
  }
  return { newest_results_of_1000_checks_ms: quantile(times, 0.5) };
}

/** Measures memory with 10,000 checks at an interval of 60 s. */
async function memory(): Promise<Figures> {
  await using fleet = await fleetOf(10_000, 60);
  const { service } = fleet;
  const usage = watch(service.pid());
  await pause(30_000);
  return { memory_mb_10000_checks: usage.end().peak_bytes / 2 ** 20 };
}

/**
 * Measures durable heartbeats per second and their CPU, on kept connections and on a new connection each; and the
 * memory afterwards.
 */
async function heartbeats(): Promise<Figures> {
  await using service = await startRealService();
  const checks = await inParallel(Array.from({ length: 100 }), 8, async () => {
    const check = await newCheck(service.client, {});
    got(await service.client.post(`/v1/checks/${check.id}/heartbeat`), 201);
    return check.id as string;
  });
  const beat = async (program: string) => {
    const before = usageOf(service.pid()).cpu_s;
    const output = await run(program, service.url, service.client.key, '8', checks.join());
    const cpu_s = usageOf(service.pid()).cpu_s - before;
    if (output.refused) throw new Error(`${output.refused} heartbeats were refused.`);
    return { per_s: output.accepted! / output.seconds!, cpu_s_per_1000: (1000 * cpu_s) / output.accepted! };
  };
  const kept = await beat('heartbeats.ts');
  const own = await beat('heartbeats-of-cron.ts');
  return {
    heartbeats_per_s: kept.per_s,
    heartbeat_cpu_s_per_1000: kept.cpu_s_per_1000,
    heartbeats_on_own_connections_per_s: own.per_s,
    heartbeat_on_own_connection_cpu_s_per_1000: own.cpu_s_per_1000,
    memory_mb_after_heartbeats: usageOf(service.pid()).rss_bytes / 2 ** 20,
  };
}

/** Measures durable pings per second and their CPU. */
async function pings(): Promise<Figures> {
  await using service = await startRealService();
  const paths = await inParallel(Array.from({ length: 100 }), 8, async () => {
    const { pathname } = new URL((await newCheck(service.client, {})).ping_url);
    await fetch(service.url + pathname);
    return pathname;
  });
  const before = usageOf(service.pid()).cpu_s;
  const output = await run('pings.ts', service.url, '', '8', paths.join());
  const cpu_s = usageOf(service.pid()).cpu_s - before;
  if (output.refused) throw new Error(`${output.refused} pings were refused.`);
  return { pings_per_s: output.accepted! / output.seconds!, ping_cpu_s_per_1000: (1000 * cpu_s) / output.accepted! };
}

/**
 * Measures memory and CPU of 250 concurrent probes whose targets send the most expensive responses
 * (hostile-targets.ts).
 */
const hostileTargets = (): Promise<Figures> => run('hostile-targets.ts');

/** Measures the cost of assertions relative to a check without assertions, and the longest turn of the event loop. */
const assertions = (): Promise<Figures> => run(...MEMORY_FLAGS, 'assertions.ts');

/** Measures the time from the start of the process to its first response (ms), with 1,000 stored checks. */
async function startUp(): Promise<Figures> {
  await using service = await startRealService();
  using target = await startTarget();
  await makeChecks(service, 1000, 60, target.url);
  await service.stop();
  const began = performance.now();
  await service.start();
  got(await service.client.get('/v1/me'), 200);
  return { start_up_ms: performance.now() - began };
}

/** Measures by name, each with a new service. */
export const measures: Record<string, () => Promise<Figures>> = {
  bareGet,
  saturated,
  onTime,
  alertLatency: () => alertLatency(),
  heartbeats,
  pings,
  hostileTargets,
  assertions,
  history: () => run('history.ts'),
  startUp,
  newestResults,
  memory,
  'worst-body': worstBody,
  'due-times': async () => dueTimes(),
  probesOnLambda,
  freshness,
  backups,
  dependents,
  overload,
};
