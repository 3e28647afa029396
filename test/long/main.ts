import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { CELL_SIZE } from '#lib/checks/settings/cells.ts';
import { latestSlot, slotsBetween } from '#lib/schedule/slots.ts';
import { everything, got } from '#test/support/fleet.ts';
import { type RealService, startRealService } from '#test/support/real-service.ts';
import { Evidence } from './evidence.ts';
import {
  backlogOf,
  type Check,
  inParallel,
  type LocalTarget,
  makeChecks,
  slotsRecorded,
  startTarget,
} from './fleet.ts';
import { watch } from './process-tree.ts';

/**
 * Ten thousand checks on one machine, in real time, and then an outage of ten minutes: `npm run test:nightly -- long`,
 * or faster with `--checks 500 --minutes 1`. Prints its measurements; exits with 1 if a requirement fails.
 *
 * The service is `npm start` in its own process. Before the restart its clock is `--away` minutes behind (earlier.ts),
 * so that the test does not wait for the outage: after the restart with the true time, that much time has passed.
 */
const { values } = parseArgs({
  options: {
    checks: { type: 'string', default: '10000' },
    minutes: { type: 'string', default: '5' },
    interval: { type: 'string', default: '60' },
    away: { type: 'string', default: '10' },
  },
});
const CHECKS = Number(values.checks);
const MINUTES = Number(values.minutes);
const INTERVAL_S = Number(values.interval);
const BEHIND_MS = Number(values.away) * 60_000;
if (!(CHECKS > 0 && BEHIND_MS > 2 * INTERVAL_S * 1000 && MINUTES * 60 >= INTERVAL_S)) {
  throw new Error(
    'Give --checks above 0, --minutes of at least one --interval (s), and --away (min) of more than two intervals.',
  );
}

/** Delay of a probe after its slot from which it counts as late (ms). */
const LATE_MS = 5000;
/** Time after which all probes of a slot are over (ms). */
const SETTLED_MS = 8000;
/** Time after which the burst of a restart is over (ms). */
const BURST_MS = 30_000;

const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;
const evidence = new Evidence();

// Ends everything that was started here: cleanups run on exit.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));

type Fleet = { service: RealService; target: LocalTarget; tenant: string; checks: Check[] };

await using service = await startRealService({
  CLOCK_BEHIND_MS: String(BEHIND_MS),
  NODE_OPTIONS: `--import=${join(import.meta.dirname, 'earlier.ts')} --disable-warning=ExperimentalWarning`,
});
using target = await startTarget();
const began = Date.now();
const fleet: Fleet = { service, target, ...(await makeChecks(service, CHECKS, INTERVAL_S, target.url)) };
evidence.print(`${CHECKS} http checks every ${INTERVAL_S} s, made in ${seconds(Date.now() - began)}`);

await steady(fleet);
await away(fleet);
process.exitCode = evidence.conclude();

/** Checks that every slot of some minutes is executed once and on time, and that requests are evenly distributed. */
async function steady({ service, target, tenant, checks }: Fleet): Promise<void> {
  await pause(SETTLED_MS);
  const usage = watch(service.pid());
  const from = Date.now();
  const until = from + MINUTES * 60_000;
  let overdue = 0;
  while (Date.now() < until) {
    await pause(Math.min(5000, until - Date.now()));
    overdue = Math.max(overdue, backlogOf(service.dir, Date.now() - BEHIND_MS).overdue);
  }
  const { cpu_s, peak_bytes } = usage.end();
  await pause(SETTLED_MS);

  evidence.heading(`${MINUTES} minutes`);
  // Slots are times of the service, whose clock is BEHIND_MS behind.
  const due = checks.map(({ schedule }) => slotsBetween(schedule, from - BEHIND_MS, until - BEHIND_MS));
  const recorded = slotsRecorded(service.dir, tenant, checks);
  const arrivals = await target.arrivals();
  const count = due.reduce((sum, slots) => sum + slots.length, 0);
  const missing = due.flatMap((slots, i) => slots.filter((slot) => !recorded[i]!.includes(slot)));
  evidence.print(`slots due ${count}, without a result ${missing.length}`);
  evidence.demand(count > 0 && missing.length === 0, 'every slot has its result');

  const lateness: number[] = [];
  const requests = new Array<number>(checks.length).fill(0);
  const perSecond = new Map<number, number>();
  for (const [i, at] of arrivals.at.entries()) {
    const number = arrivals.numbers[i]!;
    const slot = latestSlot(checks[number]!.schedule, at - BEHIND_MS) + BEHIND_MS;
    if (slot <= from || slot > until) continue;
    requests[number]!++;
    lateness.push(at - slot);
    const second = Math.floor((at - from) / 1000);
    perSecond.set(second, (perSecond.get(second) ?? 0) + 1);
  }
  const off = checks.filter(({ number }, i) => requests[number] !== due[i]!.length).length;
  evidence.print(
    `requests at the target for these slots ${lateness.length}, checks with more or fewer requests than slots ${off}`,
  );
  evidence.demand(off === 0, 'every slot was executed exactly once');
  const most = evidence.spread('delay of requests after their slot, ms', lateness);
  evidence.demand(most < LATE_MS, `no probe was ${seconds(LATE_MS)} late`);
  evidence.print(`jobs overdue by a second: at most ${overdue} (sampled every 5 s)`);

  const mean = lateness.length / (MINUTES * 60);
  const peak = Math.max(...perSecond.values());
  evidence.print(`requests a second: mean ${mean.toFixed(1)}, peak ${peak}, peak/mean ${(peak / mean).toFixed(2)}`);
  // Cells are spread by a hash, like a Poisson process; a busy machine delays some of them into the next second.
  evidence.demand(peak < 2 * mean + 6 * CELL_SIZE, 'requests are evenly distributed');
  evidence.print(
    `CPU ${cpu_s.toFixed(1)} s (${((100 * cpu_s) / (MINUTES * 60)).toFixed(1)} % of a core), ` +
      `${((1000 * cpu_s) / lateness.length).toFixed(2)} s per 1,000 probes; memory at most ${megabytes(peak_bytes)}`,
  );
}

/**
 * Checks that after an outage each check is probed once for the past and then by its old schedule, and that the outage
 * shows as gaps.
 */
async function away({ service, target, tenant, checks }: Fleet): Promise<void> {
  const code = await service.stop();
  const before = slotsRecorded(service.dir, tenant, checks);
  const probesBefore = (await target.arrivals()).at.length;
  const started = Date.now();
  await service.start({});
  const usage = watch(service.pid());
  evidence.heading(
    `down for ${values.away} minutes (ended with code ${code}, responds again after ${seconds(Date.now() - started)})`,
  );
  await pause(BURST_MS + 2 * INTERVAL_S * 1000);
  const until = Date.now() - SETTLED_MS;
  const { cpu_s, peak_bytes } = usage.end();

  const recorded = slotsRecorded(service.dir, tenant, checks);
  const arrivals = await target.arrivals();
  const since = { numbers: arrivals.numbers.slice(probesBefore), at: arrivals.at.slice(probesBefore) };
  const after = recorded.map((slots, i) => slots.filter((slot) => slot > before[i]!.at(-1)!));
  const requests = new Array<number>(checks.length).fill(0);
  for (const [i, at] of since.at.entries()) {
    const number = since.numbers[i]!;
    if (latestSlot(checks[number]!.schedule, at) <= until) requests[number]!++;
  }
  const bad = { twice: 0, never: 0, schedule: 0, requests: 0 };
  for (const [i, { number, schedule }] of checks.entries()) {
    const slots = after[i]!;
    const [first] = slots;
    if (first === undefined) {
      bad.never++;
      continue;
    }
    const past = slots.filter((slot) => slot <= started).length;
    if (past > 1) bad.twice++;
    // If the next slot of a check fell due before its turn, it was probed for that slot instead.
    if (past === 0 && first >= started + BURST_MS) bad.never++;
    const expected = slotsBetween(schedule, first - 1, until);
    if (slots.slice(0, expected.length).join() !== expected.join()) bad.schedule++;
    if (requests[number] !== slots.filter((slot) => slot <= until).length) bad.requests++;
  }
  evidence.print(`checks probed for the past more than once: ${bad.twice}, never: ${bad.never}`);
  evidence.demand(bad.twice + bad.never === 0, 'each check is probed once for the past');
  evidence.print(
    `checks off their old schedule: ${bad.schedule}, with requests that differ from results: ${bad.requests}`,
  );
  evidence.demand(bad.schedule + bad.requests === 0, 'then each slot of the old schedule is executed once');

  const first = since.at[0] ?? Number.POSITIVE_INFINITY;
  const burst = since.at.filter((at) => at < started + BURST_MS).length;
  const steadyAgain = since.at.flatMap((at, i) =>
    at > started + BURST_MS ? [at - latestSlot(checks[since.numbers[i]!]!.schedule, at)] : [],
  );
  evidence.print(
    `first request ${seconds(first - started)} after the start, ${burst} in the first ${seconds(BURST_MS)}`,
  );
  const most = evidence.spread('after that, delay of requests after their slot, ms', steadyAgain);
  evidence.demand(most < LATE_MS, `no probe was ${seconds(LATE_MS)} late after the burst`);
  evidence.print(`CPU ${cpu_s.toFixed(1)} s; memory at most ${megabytes(peak_bytes)}`);

  const gaps = await inParallel(checks, 16, ({ id }) => everything(service.client, `/v1/checks/${id}/gaps`));
  const slotsGone = gaps.map((ofCheck) => ofCheck.reduce((sum, gap) => sum + gap.slots, 0));
  const wrong = checks.filter((_, i) => {
    const missed = (after[i]![0]! - before[i]!.at(-1)!) / (INTERVAL_S * 1000) - 1;
    return slotsGone[i] !== missed || missed === 0 || gaps[i]!.some((gap) => gap.cause !== 'outage');
  });
  const total = slotsGone.reduce((sum, each) => sum + each, 0);
  evidence.print(
    `slots missed ${total}, ${(total / checks.length).toFixed(2)} per check; checks without matching gaps: ${wrong.length}`,
  );
  if (wrong[0]) evidence.print(`for example ${wrong[0].id}: ${JSON.stringify(gaps[wrong[0].number])}`);
  evidence.demand(wrong.length === 0, 'the outage shows as a gap of its length');

  const status = got(await service.client.get('/v1/status?limit=1'), 200);
  evidence.print(`entities ${status.total}, up ${status.up}`);
  evidence.demand(status.total === status.up, 'no check went down because of the outage of the service');
  const { dead } = backlogOf(service.dir, Date.now());
  evidence.demand(dead === 0, `no message is a dead letter (${dead})`);
}

function megabytes(bytes: number): string {
  return `${Math.round(bytes / 2 ** 20)} MB`;
}
