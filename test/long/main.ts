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
 * Ten thousand checks on one machine, in real time, and then ten minutes away: `npm run test:nightly -- long`, or
 * quicker with `--checks 500 --minutes 1`. Prints what it measured; exits 1 when something did not hold.
 *
 * The service is `npm start` in a process of its own. Through its first life its clock stands `--away` minutes behind
 * (earlier.ts), so that it need not be waited for: started again with the true time, it finds itself that much later.
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
  throw new Error('Give --checks, --minutes of one --interval (in seconds) at least, and --away of more than two.');
}

/** A probe later than this behind its slot is a backlog. */
const LATE_MS = 5000;
/** All probes of a moment are over by then. */
const SETTLED_MS = 8000;
/** The burst at a restart is over by then. */
const BURST_MS = 30_000;

const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;
const evidence = new Evidence();

// Nothing that was started here outlives it: what is to be tidied up hangs on the exit.
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

/** Every slot of some minutes is executed once, on time, spread evenly. */
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
  // The slots as that clock has them, and as ours has them.
  const due = checks.map(({ rhythm }) => slotsBetween(rhythm, from - BEHIND_MS, until - BEHIND_MS));
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
    const number = arrivals.path[i]!;
    const slot = latestSlot(checks[number]!.rhythm, at - BEHIND_MS) + BEHIND_MS;
    if (slot <= from || slot > until) continue;
    requests[number]!++;
    lateness.push(at - slot);
    const second = Math.floor((at - from) / 1000);
    perSecond.set(second, (perSecond.get(second) ?? 0) + 1);
  }
  const off = checks.filter(({ number }, i) => requests[number] !== due[i]!.length).length;
  evidence.print(`requests at the target for them ${lateness.length}, checks with more or fewer ${off}`);
  evidence.demand(off === 0, 'every slot was executed exactly once');
  const most = evidence.spread('request behind its slot, ms', lateness);
  evidence.demand(most < LATE_MS, `no probe came ${seconds(LATE_MS)} late`);
  evidence.print(`jobs that waited over a second: at most ${overdue} (looked every 5 s)`);

  const mean = lateness.length / (MINUTES * 60);
  const peak = Math.max(...perSecond.values());
  evidence.print(`requests a second: mean ${mean.toFixed(1)}, peak ${peak}, peak/mean ${(peak / mean).toFixed(2)}`);
  // Cells spread by a hash fall like rain; a busy machine delays some of them into the next second.
  evidence.demand(peak < 2 * mean + 6 * CELL_SIZE, 'they are spread evenly');
  evidence.print(
    `CPU ${cpu_s.toFixed(1)} s (${((100 * cpu_s) / (MINUTES * 60)).toFixed(1)} % of a core), ` +
      `${((1000 * cpu_s) / lateness.length).toFixed(2)} s per 1,000 checks; memory at most ${megabytes(peak_bytes)}`,
  );
}

/** After an outage each check is probed once for the past, then on its old rhythm, and the outage shows as gaps. */
async function away({ service, target, tenant, checks }: Fleet): Promise<void> {
  const code = await service.stop();
  const before = slotsRecorded(service.dir, tenant, checks);
  const probesBefore = (await target.arrivals()).at.length;
  const started = Date.now();
  await service.start({});
  const usage = watch(service.pid());
  evidence.heading(
    `away for ${values.away} minutes (ended with code ${code}, answers again after ${seconds(Date.now() - started)})`,
  );
  await pause(BURST_MS + 2 * INTERVAL_S * 1000);
  const until = Date.now() - SETTLED_MS;
  const { cpu_s, peak_bytes } = usage.end();

  const recorded = slotsRecorded(service.dir, tenant, checks);
  const arrivals = await target.arrivals();
  const since = { path: arrivals.path.slice(probesBefore), at: arrivals.at.slice(probesBefore) };
  const after = recorded.map((slots, i) => slots.filter((slot) => slot > before[i]!.at(-1)!));
  const requests = new Array<number>(checks.length).fill(0);
  for (const [i, at] of since.at.entries()) {
    const number = since.path[i]!;
    if (latestSlot(checks[number]!.rhythm, at) <= until) requests[number]!++;
  }
  const bad = { twice: 0, never: 0, rhythm: 0, requests: 0 };
  for (const [i, { number, rhythm }] of checks.entries()) {
    const slots = after[i]!;
    const [first] = slots;
    if (first === undefined) {
      bad.never++;
      continue;
    }
    const past = slots.filter((slot) => slot <= started).length;
    if (past > 1) bad.twice++;
    // Whose next slot fell due before it had its turn was probed for that one.
    if (past === 0 && first >= started + BURST_MS) bad.never++;
    const expected = slotsBetween(rhythm, first - 1, until);
    if (slots.slice(0, expected.length).join() !== expected.join()) bad.rhythm++;
    if (requests[number] !== slots.filter((slot) => slot <= until).length) bad.requests++;
  }
  evidence.print(`checks probed for the past more than once ${bad.twice}, not at all ${bad.never}`);
  evidence.demand(bad.twice + bad.never === 0, 'each check is probed once for the past');
  evidence.print(`checks off their old rhythm ${bad.rhythm}, whose requests are not its results ${bad.requests}`);
  evidence.demand(bad.rhythm + bad.requests === 0, 'then each slot of the old rhythm, once');

  const first = since.at[0] ?? Number.POSITIVE_INFINITY;
  const burst = since.at.filter((at) => at < started + BURST_MS).length;
  const steadyAgain = since.at.flatMap((at, i) =>
    at > started + BURST_MS ? [at - latestSlot(checks[since.path[i]!]!.rhythm, at)] : [],
  );
  evidence.print(
    `first request ${seconds(first - started)} after the start, ${burst} in the first ${seconds(BURST_MS)}`,
  );
  const most = evidence.spread('after that, request behind its slot, ms', steadyAgain);
  evidence.demand(most < LATE_MS, `no probe came ${seconds(LATE_MS)} late after the burst`);
  evidence.print(`CPU ${cpu_s.toFixed(1)} s; memory at most ${megabytes(peak_bytes)}`);

  const gaps = await inParallel(checks, 16, ({ id }) => everything(service.client, `/v1/checks/${id}/gaps`));
  const slotsGone = gaps.map((ofCheck) => ofCheck.reduce((sum, gap) => sum + gap.slots, 0));
  const wrong = checks.filter((_, i) => {
    const missed = (after[i]![0]! - before[i]!.at(-1)!) / (INTERVAL_S * 1000) - 1;
    return slotsGone[i] !== missed || missed === 0 || gaps[i]!.some((gap) => gap.cause !== 'outage');
  });
  const total = slotsGone.reduce((sum, each) => sum + each, 0);
  evidence.print(
    `slots missed ${total}, ${(total / checks.length).toFixed(2)} a check; checks whose gaps do not show it ${wrong.length}`,
  );
  if (wrong[0]) evidence.print(`such as ${wrong[0].id}: ${JSON.stringify(gaps[wrong[0].number])}`);
  evidence.demand(wrong.length === 0, 'the outage shows as the gap that it was');

  const status = got(await service.client.get('/v1/status?limit=1'), 200);
  evidence.print(`entities ${status.total}, up ${status.up}`);
  evidence.demand(status.total === status.up, 'nothing went down for time that nobody watched');
  const { dead } = backlogOf(service.dir, Date.now());
  evidence.demand(dead === 0, `no message was given up (${dead})`);
}

function megabytes(bytes: number): string {
  return `${Math.round(bytes / 2 ** 20)} MB`;
}
