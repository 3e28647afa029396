import { iso } from '#lib/platform/time.ts';
import { Evidence } from '#test/long/evidence.ts';
import { openBareDisk } from './bare-disk.ts';
import {
  census,
  FIGURES,
  type Figure,
  heading,
  MEANING,
  measure,
  printed,
  type Row,
  rowText,
  thirds,
} from './figures.ts';
import { type ApiResponse, type Life, processTime, startLife } from './life.ts';
import { makeTargets, type Spells } from './targets.ts';

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** Simulation of a service over a long time. */
export type Plan = {
  title: string;
  checks: number;
  interval_seconds: number;
  /** Days for which results are kept. */
  retention: number;
  /** Total duration, and duration of a step, which is a row of the printed table; ms. */
  length: number;
  step: number;
  /** Duration (ms) at the end of each step in which writes are flushed to the disk, as in production, and measured. */
  timed: number;
  /** Number of rows after which the host is restarted. */
  restart_every: number;
  spells: Spells;
};

/** Ten past the hour, so that the measured end of a step includes the sweep of the full hour. */
const BEGINS = Date.UTC(2027, 0, 1, 0, 10);
const HISTORY = 90 * DAY;
/** Time (ms) after which the sweep of an hour is done. */
const SWEPT_MS = 5 * MINUTE;
/** Factor up to which a figure counts as level. */
const LEVEL = 1.15;
/** Number of http checks whose results are read at each row. */
const READ_CHECKS = 5;
const KINDS_SHOWN = 25;

type Made = { ids: string[]; push: string; action: string };

/** Runs a plan and prints its table and evaluation. @returns the exit code */
export async function run(plan: Plan): Promise<number> {
  const evidence = new Evidence();
  const clock = processTime(BEGINS);
  const targets = makeTargets(clock.now, plan.spells);
  using life = await startLife(clock, targets, plan.retention);
  using disk = openBareDisk(life.dir);
  evidence.print(plan.title);
  for (const name of FIGURES) evidence.print(`  ${name.padEnd(9)} ${MEANING[name]}`);
  const made = await makeFleet(life, plan);
  const begun = performance.now();
  const rows: Row[] = [];
  const violations = { readable: 0, unswept: 0 };
  evidence.print(heading());
  for (let past = 0; past < plan.length; past += plan.step) {
    await liveThrough(life, plan, made);
    const isRestartDue = (rows.length + 1) % plan.restart_every === 0;
    const row = await measure(life, disk);
    if (isRestartDue) Object.assign(row, await life.restart());
    rows.push(row);
    evidence.print(rowText(row));
    violations.readable += await tooOld(life, plan, made);
    violations.unswept += unswept(life);
  }
  const seconds = (performance.now() - begun) / 1000;
  for (const [kind, count] of census(life).slice(0, KINDS_SHOWN))
    evidence.print(`${String(count).padStart(9)}  ${kind}`);
  const { counts } = targets;
  evidence.print(`${JSON.stringify(counts)} in ${seconds.toFixed(0)} s; log: ${life.logged.warnings} warnings`);
  const due = ((rows.length * plan.step) / 1000 / plan.interval_seconds) * plan.checks;
  evidence.demand(counts.probes >= due * 0.999, `each slot was probed (${counts.probes} of ${due})`);
  evidence.demand(violations.readable === 0, `nothing older than its retention could be read (${violations.readable})`);
  evidence.demand(violations.unswept === 0, `expired rows were deleted within minutes (${violations.unswept} rows)`);
  evidence.demand((await oldestHistory(life, made)) >= life.now() - HISTORY, 'no history is older than 90 days');
  evidence.demand(
    life.logged.errors.length === 0,
    `no error was logged (${life.logged.errors.slice(0, 3).join('; ')})`,
  );
  evaluate(evidence, rows, plan.length);
  await life.stop();
  return evidence.conclude();
}

/** Creates http checks with a channel each, a push check with an agent, and an hourly action. */
async function makeFleet({ call }: Life, { checks, interval_seconds }: Plan): Promise<Made> {
  await call('POST', '/v1/blueprints', { slug: 'service', name: 'Service' });
  const entity = async (n: number): Promise<string> => {
    const slug = `entity-${n}`;
    return (await call('POST', '/v1/blueprints/service/entities', { slug, name: `Entity ${n}` })).body.id;
  };
  const ids: string[] = [];
  let owner = '';
  for (let n = 0; n < checks; n++) {
    if (n % 10 === 0) owner = await entity(n);
    const settings = { check_type: 'http', target_url: `http://t${n}.test/`, interval_seconds };
    const { body } = await call('POST', '/v1/checks', { ...settings, entity_id: owner, failure_threshold: 2 });
    const channel = { channel_type: 'webhook', config: { url: 'https://pager.test/hook' } };
    await call('POST', `/v1/checks/${body.id}/policy/channels`, channel);
    ids.push(body.id);
  }
  const pushed = { check_type: 'push', interval_seconds: 3600, entity_id: await entity(checks) };
  const { body: push } = await call('POST', '/v1/checks', pushed);
  const settings = { name: 'Hourly', url: 'https://c.example.com/', trigger_type: 'schedule', interval_seconds: 3600 };
  const { body: action } = await call('POST', '/v1/actions', settings);
  return { ids, push: push.id, action: action.id };
}

/** Runs one step, hour by hour; the agent pauses for five hours each night. */
async function liveThrough(life: Life, { step, timed }: Plan, { push }: Made): Promise<void> {
  const end = life.now() + step;
  life.sync(false);
  for (let next = life.now(); life.now() < end; ) {
    if (new Date(life.now()).getUTCHours() >= 5) {
      const key = { 'idempotency-key': `hour-${life.now()}` };
      await life.call('POST', `/v1/checks/${push}/results`, { success: true, latency_ms: 5 }, key);
    }
    next = Math.min(next + HOUR, end);
    if (next === end && timed > 0) {
      await life.pass(Math.max(0, end - timed - life.now()));
      life.sync(true);
      life.takeLatencies();
    }
    await life.pass(next - life.now());
  }
}

/** Returns the number of readable results that are older than the retention. */
async function tooOld(life: Life, { retention }: Plan, { ids, push }: Made): Promise<number> {
  const until = encodeURIComponent(iso(life.now() - retention * DAY - MINUTE));
  let found = 0;
  for (const id of [push, ...ids.slice(0, READ_CHECKS)]) {
    found += (await life.call('GET', `/v1/checks/${id}/results?limit=5&until=${until}`)).body.results.length;
  }
  return found;
}

/** Returns the number of rows that expired some minutes ago and still exist. */
function unswept(life: Life): number {
  const before = Math.floor((life.now() - SWEPT_MS) / 1000);
  const count = life.store().db.prepare('SELECT count(*) AS n FROM items WHERE expires_at < ?');
  return Number(count.get(before)!.n);
}

/** Returns the oldest readable transition, delivery or execution (epoch ms). */
async function oldestHistory({ call }: Life, { ids, action }: Made): Promise<number> {
  let oldest = Number.POSITIVE_INFINITY;
  const lists = ['/v1/status/transitions', '/v1/notify/logs', `/v1/actions/${action}/executions`];
  for (const list of [...lists, `/v1/checks/${ids[0]}/transitions`]) {
    for (let next: string | undefined = list; next !== undefined; ) {
      const page: ApiResponse = await call('GET', next);
      for (const one of page.body) oldest = Math.min(oldest, Date.parse(one.timestamp ?? one.created_at));
      next = page.next;
    }
  }
  return oldest;
}

/** Figures with a reference figure, which shows the load of other processes on the disk or the machine. */
const REFERENCE: Partial<Record<Figure, Figure>> = { p50: 'bare50', p99: 'bare99', start: 'start0' };
/** Figures that are only printed: references that explain others, and free pages. */
const SHOWN_ONLY: readonly Figure[] = ['bare50', 'bare99', 'start0', 'free'];

/** Figures that include history, such as transitions and rollups, and therefore grow for 90 days. */
const OF_HISTORY: readonly Figure[] = ['items', 'db'];
/** Tolerance of a figure that varies by chance: the number of messages in progress. */
const BY_CHANCE: Partial<Record<Figure, number>> = { messages: 20 };

const growthOf = (rows: Row[], name: Figure): number => {
  const { middle, last } = thirds(rows, name);
  const chance = BY_CHANCE[name] ?? 0;
  return middle === last ? 1 : (last + chance) / (middle + chance);
};

/** Evaluates whether each figure leveled off: the mean of its last third against the middle one. */
function evaluate(evidence: Evidence, rows: Row[], length: number): void {
  const shownOnly = length > 2 * HISTORY ? SHOWN_ONLY : [...SHOWN_ONLY, ...OF_HISTORY];
  evidence.heading('mean of the last third against the middle third');
  for (const name of FIGURES) {
    const { middle, last } = thirds(rows, name);
    const growth = growthOf(rows, name);
    const reference = REFERENCE[name] ? Math.max(1, growthOf(rows, REFERENCE[name])) : 1;
    const change = `${growth >= 1 ? '+' : ''}${((growth - 1) * 100).toFixed(1)} %`;
    const means = `${printed(name, last)} against ${printed(name, middle)} (${change})`;
    if (shownOnly.includes(name)) evidence.print(`         ${name}: ${means}`);
    else evidence.demand(growth <= LEVEL * reference, `${name} leveled off: ${means}`);
  }
  const { free, db } = rows.at(-1)!;
  evidence.demand(free < (LEVEL - 1) * db, `freed pages are used again (${free} of ${db} bytes are free)`);
}
