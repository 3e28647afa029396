import { authenticate } from '#lib/access/authenticate.ts';
import type { Context } from '#lib/access/context.ts';
import type { Env } from '#lib/env.ts';
import type { TimeRange } from '#lib/history/results/gaps.ts';
import { keptDays } from '#lib/history/rollups/buckets.ts';
import { classifyTime, timeOf } from '#lib/history/rollups/classify-time.ts';
import { emptyFigures } from '#lib/history/rollups/figures.ts';
import { hoursIn } from '#lib/history/rollups/hours.ts';
import { addLatency } from '#lib/history/rollups/latency-histogram.ts';
import { makeDay, type RolledCell } from '#lib/history/rollups/make-rollup.ts';
import { type CheckRollup, encodeLatencies, encodeRollup } from '#lib/history/rollups/rollup-item.ts';
import type { LatenciesItem, RollupItem } from '#lib/history/rollups/stored-rollups.ts';
import { addNote, createIncident } from '#lib/incidents/change-incident.ts';
import { publishUpdate } from '#lib/incidents/public-updates.ts';
import { cellOf, numberOf } from '#lib/keys.ts';
import { makeIds } from '#lib/platform/ids.ts';
import { DAY_MS, HOUR_MS } from '#lib/platform/time.ts';
import { startOfDay, startOfHour } from '#lib/schedule/slots.ts';
import { DATABASE, type DemoEntity, failsWith } from './demo-catalog.ts';

const DAYS = 30;
const MINUTE_MS = 60_000;

/** Past outages. `ago_hours`: hours from the hour in which the outage started to the current hour. */
const OUTAGES = [
  { slug: DATABASE, ago_hours: 6 * 24 + 5, minutes: 42 },
  { slug: 'search-index', ago_hours: 12 * 24 + 9, minutes: 14 },
  { slug: 'event-queue', ago_hours: 20 * 24 + 16, minutes: 25 },
  { slug: 'partner-api', ago_hours: 26 * 24 + 2, minutes: 8 },
];

export type Monitored = DemoEntity & { entity_id: string; check_id: string };

/** Writes the rollups of the 30 days before today and of today up to the current hour, and an incident with notes. */
export async function writePast(env: Env, key: string, monitored: readonly Monitored[]): Promise<void> {
  const request = { headers: { authorization: `Bearer ${key}` }, address: '', request_id: '' };
  const context = await authenticate(env, request);
  const now = env.ports.clock.now();
  const end = startOfHour(now);
  const start = startOfDay(now) - DAYS * DAY_MS;
  const { retention_days, rollup_days } = context.caller;
  for (const [cell, own] of Map.groupBy(monitored, ({ check_id }) => cellOf(check_id))) {
    const rolledCell: RolledCell = { ...context, cell, retention_days, rollup_days };
    for (let day = start; day < end; day += DAY_MS) {
      const hours = hoursIn({ from: day, to: Math.min(day + DAY_MS, end) });
      const items = hours.flatMap((hour) =>
        rollupOf(rolledCell, hour, new Map(own.map((one) => [numberOf(one.check_id), figuresOf(one, hour, end)]))),
      );
      await rolledCell.ports.table.putMany(items);
      if (hours.length === 24) await makeDay(rolledCell, day, { isRevision: false });
    }
  }
  await writeIncident(context, end, monitored);
}

function rollupOf(
  rolledCell: RolledCell,
  { from }: TimeRange,
  figures: Map<number, CheckRollup>,
): [RollupItem, LatenciesItem] {
  const { ports, keys, tenant, cell, retention_days, rollup_days } = rolledCell;
  const days = keptDays('hour', rollup_days) + 1;
  const kept = { from, expires_at: Math.ceil((from + days * DAY_MS) / 1000) };
  const made = { made_at: ports.clock.now(), raw_days: retention_days, figures: encodeRollup(figures) };
  return [
    { ...keys.rollup(tenant, cell, 'hour', from), v: ports.ids.token(), ...kept, ...made },
    { ...keys.latencies(tenant, cell, 'hour', from), ...kept, latencies: encodeLatencies(figures) },
  ];
}

/** Returns the figures of a check that ran every minute of an hour. `end`: end of the written history (epoch ms). */
function figuresOf({ slug, latency_ms }: Monitored, window: TimeRange, end: number): CheckRollup {
  const failures = OUTAGES.filter((outage) => failsWith(slug, outage.slug)).map((outage) => timesOf(outage, end));
  const changes = failures.flatMap(({ from, to }) => [
    { at: from, state: 'down' as const },
    { at: to, state: 'up' as const },
  ]);
  const known = { changes: [{ at: 0, state: 'up' as const }, ...changes], gaps: [], maintenance: [] };
  const spans = classifyTime({ ...known, monitored: [window] }, window);
  const figures = { ...emptyFigures(), ...timeOf(spans), spans };
  for (let at = window.from; at < window.to; at += MINUTE_MS) {
    figures.runs += 1;
    if (failures.some(({ from, to }) => from <= at && at < to)) figures.failures += 1;
    else addLatency(figures.latency, latencyAt(at, latency_ms));
  }
  return figures;
}

const timesOf = ({ ago_hours, minutes }: (typeof OUTAGES)[number], end: number): TimeRange => {
  const from = end - ago_hours * HOUR_MS + 11 * MINUTE_MS;
  return { from, to: from + minutes * MINUTE_MS };
};

/** Returns a latency (ms): `usual`, plus 25 % at 15:00 UTC, minus 25 % at 3:00, and plus or minus 15 % at random. */
function latencyAt(at: number, usual: number): number {
  const ofDay = Math.cos(((at % DAY_MS) / DAY_MS - 15 / 24) * 2 * Math.PI);
  return Math.round(usual * (1 + 0.25 * ofDay) * (0.85 + 0.3 * Math.random()));
}

/** Writes the incident of the database outage, with updates and notes at the times at which responders write them. */
async function writeIncident(context: Context, end: number, monitored: readonly Monitored[]): Promise<void> {
  const { from, to } = timesOf(OUTAGES.find(({ slug }) => slug === DATABASE)!, end);
  const affected = monitored.filter(({ slug }) => failsWith(slug, DATABASE));
  const incident = await createIncident(contextAt(context, from + MINUTE_MS), {
    title: 'Orders database out of disk space',
    impact: 'outage',
    entity_ids: affected.map(({ entity_id }) => entity_id),
    component_ids: [],
    public_title: 'Orders are unavailable',
  });
  const note = (at: number, text: string) => addNote(contextAt(context, at), incident, { text });
  const update = (at: number, status: Parameters<typeof publishUpdate>[2]['status'], message: string) =>
    publishUpdate(contextAt(context, at), incident, { status, message, component_ids: [], notify: false });
  await update(from + 5 * MINUTE_MS, 'investigating', 'Orders and sign-in fail. The cause is being investigated.');
  await note(
    from + 9 * MINUTE_MS,
    'The volume is full: archived logs were not deleted. Moving them to object storage.',
  );
  await update(from + 12 * MINUTE_MS, 'identified', 'A database has no disk space left. Space is being added.');
  await update(to, 'resolved', 'All services work again. No order was lost.');
  await note(to + HOUR_MS, 'Review: archived logs are now deleted daily, and disk space has a check of its own.');
}

/** Returns a context whose time is an instant of the past (epoch ms). */
function contextAt(context: Context, at: number): Context {
  const clock = { ...context.ports.clock, now: () => at };
  return { ...context, ports: { ...context.ports, clock, ids: makeIds(clock) } };
}
