import fc from 'fast-check';
import { addWindow, changeWindow, deleteWindow } from '#lib/alerting/configure/windows.ts';
import { updateCheck } from '#lib/checks/change/change-check.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import { failed, type Outcome, succeeded } from '#lib/checks/outcome.ts';
import type { TimeRange } from '#lib/history/results/gaps.ts';
import { rollUp } from '#lib/history/rollups/roll-up.ts';
import { cellOf } from '#lib/keys.ts';
import type { RollupMessage } from '#lib/messages.ts';
import { type Push, receivePush } from '#lib/results/pushes/receive-push.ts';
import { recordOutage } from '#lib/schedule/outages.ts';
import { latestSlot, slotsBetween } from '#lib/schedule/slots.ts';
import { type HealthWorld, healthWorld, intervalScheduleOfCheck } from '#test/support/health-world.ts';
import type { Reference } from './naive-history.ts';
import { applyNaively, type NaiveState } from './naive-states.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** Behavior of targets, network, and service during a step. */
const MOODS = ['up', 'warns', 'down', 'flapping', 'missed', 'network', 'error', 'late'] as const;
type Mood = (typeof MOODS)[number];

/** Step of a history; times in ms. `which`: index of a check; in `open`, 3 is all checks. */
export type Step =
  | { do: 'probe'; ms: number; mood: Mood }
  | { do: 'outage'; ms: number }
  | { do: 'push'; outcome: Outcome; back: number; twice: boolean }
  | { do: 'set'; which: number; change: Change }
  | { do: 'open'; which: number; back: number; ms: number; recurs: boolean }
  | { do: 'move'; later: number }
  | { do: 'cancel' }
  | { do: 'roll up'; twice: boolean };

type Change = {
  enabled?: boolean;
  interval_seconds?: number;
  failure_threshold?: number;
  recovery_threshold?: number;
};

const INTERVALS = [300, 900, 3600, 7200];
const interval_seconds = fc.constantFrom(...INTERVALS);
const failure_threshold = fc.integer({ min: 1, max: 4 });
const recovery_threshold = fc.integer({ min: 1, max: 3 });

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('probe' as const),
      ms: fc.oneof(fc.integer({ min: 1, max: 150 * MINUTE }), fc.integer({ min: 1, max: 10 * HOUR })),
      mood: fc.constantFrom(...MOODS),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('outage' as const), ms: fc.integer({ min: 1, max: 100 * MINUTE }) }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('push' as const),
      outcome: fc.constantFrom<Outcome>('ok', 'warn', 'fail'),
      back: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 2 * MINUTE }), fc.integer({ min: 0, max: 30 * HOUR })),
      twice: fc.boolean(),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('set' as const),
      which: fc.nat({ max: 2 }),
      change: fc.oneof(
        fc.record({ enabled: fc.boolean() }),
        fc.record({ interval_seconds }),
        fc.record({ failure_threshold }),
        fc.record({ recovery_threshold }),
      ),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('open' as const),
      which: fc.nat({ max: 3 }),
      back: fc.integer({ min: 0, max: 20 * HOUR }),
      ms: fc.integer({ min: MINUTE, max: 30 * HOUR }),
      recurs: fc.boolean(),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('move' as const), later: fc.integer({ min: -HOUR, max: 9 * HOUR }) }),
  },
  { weight: 1, arbitrary: fc.constant({ do: 'cancel' as const }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('roll up' as const), twice: fc.boolean() }) },
);

/** History of two pull checks and a push check; they are in one cell and belong to two entities. */
export const someHistory = fc.record({
  begin: fc.integer({ min: 0, max: 24 * HOUR }),
  checks: fc.array(fc.record({ interval_seconds, failure_threshold, recovery_threshold }), {
    minLength: 3,
    maxLength: 3,
  }),
  steps: fc.array(step, { minLength: 1, maxLength: 16 }),
});
type SomeHistory = typeof someHistory extends fc.Arbitrary<infer T> ? T : never;

/** Check with its reference data. */
export type Recorder = NaiveState & { reference: Reference; check: CheckItem };

/** Applies a history, and returns the reference data. */
export async function runHistory({ begin, checks: settings, steps }: SomeHistory) {
  const world = await healthWorld();
  await world.watermark(1000 * HOUR);
  world.advance(begin);
  const entities = [await world.entity(), await world.entity()];
  const recorders: Recorder[] = [];
  const windows: Planned[] = [];
  for (const [i, own] of settings.entries()) {
    const check = await world.check({ ...own, entity_id: entities[i % 2]!.id, ...(i === 2 && { check_type: 'push' }) });
    const reference: Reference = {
      mode: check.execution_mode,
      settings: [],
      runs: [],
      noted: new Map(),
      states: [],
      maintenance: [],
    };
    reference.settings.push({ from: check.settings_at, enabled: true, rhythm: intervalScheduleOfCheck(check) });
    recorders.push({ reference, check, state: 'unknown', applied: [] });
  }
  const outages: TimeRange[] = [];
  for (const one of steps) await doStep(world, { recorders, outages, windows }, one);
  for (const [i, { reference }] of recorders.entries())
    reference.maintenance = maintenanceOf(windows, i, world.ports.clock.now() + 100 * HOUR);
  return { world, entities, recorders, outages };
}

/** Maintenance window of a check, or of all (`which` is 3); a recurring one is open for 20 minutes of each hour. */
type Planned = TimeRange & { id: string; which: number; recurs: boolean; isOver?: true };

const maintenanceOf = (windows: Planned[], check: number, end: number): TimeRange[] =>
  windows.filter(({ which }) => which === 3 || which === check).flatMap((one) => (one.recurs ? hourly(one, end) : one));

function hourly({ from, to }: TimeRange, end: number): TimeRange[] {
  const found: TimeRange[] = [];
  for (let hour = Math.ceil(from / HOUR) * HOUR; hour < Math.min(to, end); hour += HOUR)
    found.push({ from: hour, to: Math.min(hour + 20 * MINUTE, to) });
  return found;
}

type Story = { recorders: Recorder[]; outages: TimeRange[]; windows: Planned[] };

/** Creates a one-time window that can start in the past, or a recurring one. */
async function open(
  { context, ports }: HealthWorld,
  { recorders, windows }: Story,
  { which, back, ms, recurs }: Extract<Step, { do: 'open' }>,
): Promise<void> {
  const now = ports.clock.now();
  const scope = which === 3 ? { all: true as const } : { check_ids: [recorders[which]!.check.id] };
  const from = recurs ? now : now - back;
  const times = recurs ? { cron: '0 * * * *', duration_seconds: 1200 } : { starts_at: from, ends_at: from + ms };
  const { id } = await addWindow(context, { name: 'work', scope, ...times });
  windows.push({ id, which, recurs, from, to: recurs ? Number.MAX_SAFE_INTEGER : from + ms });
}

/** Moves the newest window that has not ended. If it recurs, ends its effect on uptime instead. */
async function move({ context, ports }: HealthWorld, { windows }: Story, later: number): Promise<void> {
  const one = windows.findLast(({ isOver }) => !isOver);
  if (!one) return;
  if (one.recurs) {
    await changeWindow(context, one.id, { exclude_from_uptime: false });
    one.to = ports.clock.now();
    one.isOver = true;
    return;
  }
  one.from += later;
  one.to += later;
  await changeWindow(context, one.id, { starts_at: one.from, ends_at: one.to });
}

async function cancel({ context, ports }: HealthWorld, { windows }: Story): Promise<void> {
  const one = windows.findLast(({ isOver }) => !isOver);
  if (!one) return;
  await deleteWindow(context, one.id);
  one.isOver = true;
  one.to = one.recurs ? ports.clock.now() : one.from;
}

async function doStep(world: HealthWorld, story: Story, step: Step): Promise<void> {
  const { recorders, outages } = story;
  const now = world.ports.clock.now();
  if (step.do === 'probe') return probe(world, recorders.slice(0, 2), now + step.ms, step.mood);
  if (step.do === 'push') return push(world, recorders[2]!, step);
  if (step.do === 'set') return set(world, recorders[step.which]!, step.change);
  if (step.do === 'open') return open(world, story, step);
  if (step.do === 'move') return move(world, story, step.later);
  if (step.do === 'cancel') return cancel(world, story);
  if (step.do === 'roll up') return rollUpNow(world, recorders[0]!.check, step);
  world.advance(step.ms);
  const outage = { from: now, to: now + step.ms };
  await recordOutage(world, outage);
  outages.push(outage);
}

/** Returns a latency (ms) from 1 to 997 that depends on the time, so that results differ. */
const latencyOf = (slot: number): number => 1 + (Math.floor(slot / 50) % 997);

async function probe(world: HealthWorld, recorders: Recorder[], until: number, mood: Mood): Promise<void> {
  const begun = world.ports.clock.now();
  const due = recorders
    .filter(({ check }) => check.enabled)
    .flatMap((recorder) =>
      slotsBetween(intervalScheduleOfCheck(recorder.check), begun, until).map((slot) => ({ recorder, slot })),
    )
    .sort((a, b) => a.slot - b.slot);
  for (const { recorder, slot } of due) {
    if (slot < recorder.check.settings_at) continue;
    world.advance(slot - world.ports.clock.now());
    if (mood === 'network' || mood === 'error') {
      await world.recordGap(recorder.check, slot, mood);
      recorder.reference.noted.set(slot, mood);
    }
    const outcome = outcomeIn(mood, slot);
    if (outcome) await run(world, recorder, slot, outcome);
  }
  world.advance(until - world.ports.clock.now());
  if (mood !== 'late') return;
  // Waiting messages are delivered now, unless their successors are due.
  for (const recorder of recorders.filter(({ check }) => check.enabled)) {
    const slot = latestSlot(intervalScheduleOfCheck(recorder.check), until);
    if (slot > begun && slot >= recorder.check.settings_at)
      await run(world, recorder, slot, slot % 3 === 0 ? 'ok' : 'fail');
  }
}

/** Returns the outcome of a probe in this mood; undefined if no probe runs. */
function outcomeIn(mood: Mood, slot: number): Outcome | undefined {
  if (mood === 'flapping') return (['ok', 'fail', 'warn'] as const)[Math.floor(slot / 300_000) % 3];
  return ({ up: 'ok', warns: 'warn', down: 'fail' } as const)[mood as 'up'];
}

async function run(world: HealthWorld, recorder: Recorder, slot: number, kind: Outcome): Promise<void> {
  const started_at = world.ports.clock.now();
  const latency = latencyOf(slot);
  const check = await world.fresh(recorder.check);
  const plain = kind === 'fail' ? failed('status', 'status 503', latency, 503) : succeeded(latency, 200);
  const outcome = { ...plain, ...(kind === 'warn' && { warning_message: 'slow: {latency_ms} ms' }) };
  await world.record({ check, slot, started_at, outcome, retention_days: 30 });
  const at = Math.max(slot, check.settings_at);
  recorder.reference.runs.push({ at, outcome: kind, latency });
  applyNaively(recorder, kind, started_at);
}

async function push(
  world: HealthWorld,
  recorder: Recorder & { newest?: number },
  { outcome, back, twice }: Extract<Step, { do: 'push' }>,
): Promise<void> {
  const now = world.ports.clock.now();
  const checked_at = now - back;
  const { check } = recorder;
  const latency_ms = latencyOf(checked_at);
  if (recorder.reference.runs.some((run) => run.at === checked_at && run.outcome === outcome)) return;
  const text = `${checked_at} ${outcome}`;
  const success = outcome !== 'fail';
  for (let times = twice ? 2 : 1; times > 0; times--) {
    const warning_message = outcome === 'warn' ? 'nearly full' : '';
    const one = { success, latency_ms, status_code: 0, error_message: '', warning_message, checked_at };
    const sent: Push = { ...one, identity: { kind: 'body', text }, ends: { measured: false } };
    await receivePush(world, await world.fresh(check), sent, 30);
  }
  recorder.reference.runs.push({ at: checked_at, outcome, latency: latency_ms });
  const oldest = (recorder.newest ?? 0) - Math.max(MINUTE, check.interval_seconds * 1000);
  if (!check.enabled || checked_at < oldest) return;
  recorder.newest = Math.max(recorder.newest ?? 0, checked_at);
  applyNaively(recorder, outcome, checked_at);
}

async function set(
  world: HealthWorld,
  recorder: Recorder,
  change: Extract<Step, { do: 'set' }>['change'],
): Promise<void> {
  world.advance(1);
  const before = await world.fresh(recorder.check);
  const after = await updateCheck(world.context, before, change);
  recorder.check = after;
  if (after.rev === before.rev) return;
  const from = world.ports.clock.now();
  recorder.reference.settings.push({ from, enabled: after.enabled, rhythm: intervalScheduleOfCheck(after) });
  if (after.enabled !== before.enabled) recorder.applied = [];
  if (!after.enabled && recorder.state !== 'unknown') {
    recorder.state = 'unknown';
    recorder.reference.states.push({ from, state: 'unknown' });
  }
  if (after.enabled && after.execution_mode === 'pull') {
    world.advance(7);
    await run(world, recorder, latestSlot(intervalScheduleOfCheck(after), from), 'ok');
  }
}

/** Handles the due revision messages and the scheduled message. */
async function rollUpNow(world: HealthWorld, check: CheckItem, { twice = false } = {}): Promise<void> {
  const { tenant_id } = check;
  const now = world.ports.clock.now();
  const take = () => {
    const due = world.sent.filter(({ queue, message }) => queue === 'housekeeping' && (message.not_before ?? 0) <= now);
    for (const one of due) world.sent.splice(world.sent.indexOf(one), 1);
    return due.map(({ message }) => message.body as RollupMessage);
  };
  const regular: RollupMessage = { tenant_id, cell: cellOf(check.id) };
  // Newest first, because a queue does not keep the order.
  for (let due = [...take().reverse(), regular]; due.length > 0; due = take()) {
    for (const message of due) await rollUp(world, message);
    if (twice) await Promise.all(due.map((message) => rollUp(world, message)));
  }
}

/** Rolls up once a minute until no message is left. */
export async function rollUpAll(world: HealthWorld, check: CheckItem): Promise<void> {
  do {
    await rollUpNow(world, check);
    world.advance(MINUTE);
  } while (world.sent.some(({ queue }) => queue === 'housekeeping'));
}
