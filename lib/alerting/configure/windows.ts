import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import { auditWriter } from '#lib/access/audit-writer.ts';
import type { Context } from '#lib/access/context.ts';
import { readAlerting } from '#lib/alerting/policy/account-alerting.ts';
import { type SuppressionExtent, windowDuration } from '#lib/alerting/policy/suppression-access.ts';
import { type Audited, isSame } from '#lib/audit/write.ts';
import { FINAL_AFTER_MS, type WindowItem } from '#lib/checks/maintenance.ts';
import { idsOf, SelectorLabels } from '#lib/checks/selector.ts';
import { AppError, invalid, notFound } from '#lib/platform/errors.ts';
import { CreatedAt, IdOf, Unchanged, UpdatedAt } from '#lib/platform/http/route.ts';
import { assertUnchanged } from '#lib/platform/http/validation.ts';
import { Instant } from '#lib/platform/instant.ts';
import { pick } from '#lib/platform/plain-data.ts';
import { line, Name, Slug } from '#lib/platform/text.ts';
import { DAY_MS, iso } from '#lib/platform/time.ts';
import { assertTimeZone, dueTimes } from '#lib/schedule/calendar/calendar.ts';
import { calendarErrorsAt } from '#lib/schedule/calendar/calendar-errors.ts';
import { parseCron } from '#lib/schedule/calendar/cron.ts';
import type { ScheduleLine } from '#lib/schedule/calendar/schedule-line.ts';
import { rangesAt, rangesOf, type TimeRange, type WindowTimes } from '#lib/schedule/calendar/window-ranges.ts';
import { changeAlerting } from './change-alerting.ts';
import { assertMaySuppress } from './silences.ts';
import { keepPast, reviseUptime, withStart } from './window-uptime.ts';

const DESCRIPTIONS = {
  name: 'Display name.',
  note: 'Purpose of the window, human-readable.',
  public_title: 'Title on status pages. Empty: a fixed text in the language of the page.',
  scope: 'Checks of the window: those that match every property; `{"all": true}` for all.',
  starts_at: 'One-time windows: start.',
  ends_at: 'One-time windows: end, 60 seconds to 31 days after the start.',
  cron: 'Recurring windows: start as five cron fields; `0 2 * * sat#2` is the second Saturday of each month, `L` its last day, `friL` its last Friday.',
  time_zone: 'Recurring windows: IANA time zone of the schedule. Default: UTC.',
  duration_seconds: 'Recurring windows: length in seconds of elapsed time, 60 to 2678400 (31 days).',
  every_weeks: 'Recurring windows: every N weeks, counted from the week of the first start. Default: 1.',
  from: 'Recurring windows: earliest start. Default: creation of the window.',
  exclude_from_uptime: 'Whether its time counts as maintenance instead of as the states of its checks. Default: true.',
  until: 'Recurring windows: no start at or after this time; null: without an end.',
};

const WindowScope = z
  .strictObject({
    all: z.literal(true).describe('All checks.').exactOptional(),
    labels: SelectorLabels,
    blueprint_slug: Slug.describe('Checks of the entities of this blueprint.').exactOptional(),
    entity_ids: idsOf('ent', 'an entity').describe('Checks of these entities.').exactOptional(),
    check_ids: idsOf('chk', 'a check').describe('These checks.').exactOptional(),
    include_dependents: z
      .boolean()
      .describe(
        'Whether to also hold alerts of failures caused by an entity whose checks are all in the window. Default: false.',
      )
      .exactOptional(),
  })
  .refine(
    ({ include_dependents: _more, ...scope }) => Object.keys(scope).length > 0,
    'must have at least one property; {"all": true} selects all checks',
  )
  .refine(
    ({ all, include_dependents: _more, ...rest }) => !all || Object.keys(rest).length === 0,
    'must not combine all with other selections',
  )
  .meta({ id: 'WindowScope' });
type WindowScope = z.infer<typeof WindowScope>;

const settings = {
  name: Name.describe(DESCRIPTIONS.name),
  note: line(0, 1000).describe(DESCRIPTIONS.note).exactOptional(),
  public_title: line(0, 120).describe(DESCRIPTIONS.public_title).exactOptional(),
  scope: WindowScope.describe(DESCRIPTIONS.scope),
  starts_at: Instant.describe(DESCRIPTIONS.starts_at).exactOptional(),
  ends_at: Instant.describe(DESCRIPTIONS.ends_at).exactOptional(),
  cron: z.string().min(1).max(200).describe(DESCRIPTIONS.cron).exactOptional(),
  time_zone: z.string().max(100).describe(DESCRIPTIONS.time_zone).exactOptional(),
  duration_seconds: z.int().describe(DESCRIPTIONS.duration_seconds).exactOptional(),
  every_weeks: z.int().min(1).max(52).describe(DESCRIPTIONS.every_weeks).exactOptional(),
  from: Instant.describe(DESCRIPTIONS.from).exactOptional(),
  until: Instant.nullable().describe(DESCRIPTIONS.until).exactOptional(),
  exclude_from_uptime: z.boolean().describe(DESCRIPTIONS.exclude_from_uptime).exactOptional(),
};

export const NewWindow = z.object(settings).meta({ id: 'NewWindow' });
export type NewWindow = z.output<typeof NewWindow>;

/** Changes of a window; omitted properties keep their value. */
export const WindowPatch = z
  .object({
    id: Unchanged.exactOptional(),
    ...settings,
    name: settings.name.exactOptional(),
    scope: settings.scope.exactOptional(),
  })
  .meta({ id: 'WindowPatch' });
export type WindowPatch = z.output<typeof WindowPatch>;

const IntervalRecord = z.object({
  from: z.iso.datetime().describe('Start.'),
  to: z.iso.datetime().describe('End.'),
});

export const WindowRecord = z
  .object({
    id: IdOf('the window'),
    name: z.string().describe(DESCRIPTIONS.name),
    note: z.string().describe(DESCRIPTIONS.note),
    public_title: z.string().describe(DESCRIPTIONS.public_title),
    scope: WindowScope.describe(DESCRIPTIONS.scope),
    starts_at: z.iso.datetime().nullable().describe(DESCRIPTIONS.starts_at),
    ends_at: z.iso.datetime().nullable().describe(DESCRIPTIONS.ends_at),
    cron: z.string().nullable().describe(DESCRIPTIONS.cron),
    time_zone: z.string().nullable().describe(DESCRIPTIONS.time_zone),
    duration_seconds: z.int().nullable().describe(DESCRIPTIONS.duration_seconds),
    every_weeks: z.int().nullable().describe(DESCRIPTIONS.every_weeks),
    from: z.iso.datetime().nullable().describe(DESCRIPTIONS.from),
    until: z.iso.datetime().nullable().describe(DESCRIPTIONS.until),
    exclude_from_uptime: z.boolean().describe(DESCRIPTIONS.exclude_from_uptime),
    open: z.boolean().describe('Whether it is open now.'),
    current: IntervalRecord.nullable().describe('The open time range; null while it is closed.'),
    next: IntervalRecord.nullable().describe('The next time range; null without one.'),
    created_at: CreatedAt,
    updated_at: UpdatedAt,
    created_by: z.string().describe('E-mail address of the user who created it; empty for a key without a user.'),
  })
  .meta({ id: 'Window' });
export type WindowRecord = z.infer<typeof WindowRecord>;

export const ChangedWindow = WindowRecord.extend({
  notice: z.string().nullable().describe('Warning that no check matches its scope yet; else null.'),
}).meta({ id: 'ChangedWindow' });

const MIN_MS = 60_000;
const MAX_MS = 31 * DAY_MS;

const ONCE = ['starts_at', 'ends_at'] as const;
const RECURRING = ['cron', 'time_zone', 'duration_seconds', 'every_weeks', 'from', 'until'] as const;

type Given = Pick<WindowPatch, (typeof ONCE)[number] | (typeof RECURRING)[number]>;

/** Returns the times of a window after a request at `now` (epoch ms). Pure. @throws AppError VALIDATION_ERROR */
function timesOf(given: Given, now: number, stored?: WindowTimes): WindowTimes {
  const recurs = stored ? 'cron' in stored : given.cron !== undefined;
  const misplaced = (recurs ? ONCE : RECURRING).find((name) => given[name] !== undefined && given[name] !== null);
  if (misplaced) {
    const kind = recurs ? 'one-time windows; this one has a cron' : 'recurring windows, which have a cron';
    throw invalid(misplaced, `is only for ${kind}`);
  }
  return recurs ? recurring(given, now, stored) : oneTime(given, now, stored);
}

function oneTime(given: Given, now: number, stored: WindowTimes | undefined): WindowTimes {
  const before = stored && 'starts_at' in stored ? stored : undefined;
  const starts_at = given.starts_at ?? before?.starts_at;
  const ends_at = given.ends_at ?? before?.ends_at;
  if (starts_at === undefined) throw invalid('starts_at', 'is required, or cron for a recurring window');
  if (ends_at === undefined) throw invalid('ends_at', 'is required');
  assertDuration('ends_at', ends_at - starts_at);
  // An existing window can get an end in the past, which ends it.
  if (!before && ends_at <= now - FINAL_AFTER_MS)
    throw invalid('ends_at', `is more than 30 days ago, so uptime is final; the current time is ${iso(now)}`);
  return { starts_at, ends_at };
}

function recurring(given: Given, now: number, stored: WindowTimes | undefined): WindowTimes {
  const before = stored && 'cron' in stored ? stored : undefined;
  const cron = given.cron ?? before!.cron;
  const time_zone = given.time_zone ?? before?.time_zone ?? 'UTC';
  const duration_ms = given.duration_seconds === undefined ? before?.duration_ms : given.duration_seconds * 1000;
  if (duration_ms === undefined) throw invalid('duration_seconds', 'is required with cron');
  assertDuration('duration_seconds', duration_ms);
  const from = given.from ?? before?.from ?? now;
  const until = given.until === undefined ? before?.until : (given.until ?? undefined);
  if (until !== undefined && until <= from) throw invalid('until', 'must be after from');
  calendarErrorsAt('time_zone', () => assertTimeZone(time_zone));
  const line = calendarErrorsAt('cron', () => parseCron(cron, time_zone));
  assertEndsBeforeNextStart(line, from, duration_ms);
  const every_weeks = given.every_weeks ?? before?.every_weeks ?? 1;
  return { cron, time_zone, duration_ms, every_weeks, from, ...(until !== undefined && { until }) };
}

const MAX_STARTS = 50;

function assertEndsBeforeNextStart(line: ScheduleLine, from: number, duration_ms: number): void {
  let last: number | undefined;
  let count = 0;
  for (const start of dueTimes([line], from - 1)) {
    if (last !== undefined && start - last < duration_ms)
      throw invalid('duration_seconds', `is longer than the ${(start - last) / 1000} seconds between two starts`);
    last = start;
    if (++count === MAX_STARTS) return;
  }
  if (last === undefined) throw invalid('cron', 'has no start within five years');
}

function assertDuration(property: string, length_ms: number): void {
  if (property === 'ends_at' && length_ms <= 0) throw invalid(property, 'must be after starts_at');
  if (length_ms < MIN_MS) throw invalid(property, 'makes the window shorter than 60 seconds');
  if (length_ms > MAX_MS) throw invalid(property, 'makes the window longer than 31 days');
}

const MAX_WINDOWS = 100;
/** Time in ms after the end of a one-time window during which it is listed and can change uptime. */
const LISTED_MS = FINAL_AFTER_MS;

type StoredScope = Pick<WindowItem, 'scope' | 'include_dependents'>;

function storedScope({ all, blueprint_slug, include_dependents, ...rest }: WindowScope): StoredScope {
  const scope = { ...rest, ...(blueprint_slug !== undefined && { blueprints: [blueprint_slug] }) };
  return { scope: all ? null : scope, ...(include_dependents && { include_dependents }) };
}

function scopeOf({ scope, include_dependents }: StoredScope): WindowScope {
  const { blueprints, ...rest } = scope ?? {};
  return {
    ...(scope === null ? { all: true as const } : rest),
    ...(blueprints && { blueprint_slug: blueprints[0]! }),
    ...(include_dependents && { include_dependents }),
  };
}

const rangeView = (interval: TimeRange | undefined) =>
  interval ? { from: iso(interval.from), to: iso(interval.to) } : null;

/** Returns a window as the API shows it at `now` (epoch ms). */
export function windowView(window: WindowItem, now: number): WindowRecord {
  const { times } = window;
  const { current, next } = rangesAt(times, now);
  return pick(WindowRecord, {
    ...window,
    public_title: window.public_title ?? '',
    scope: scopeOf(window),
    ...timeMembers(window),
    exclude_from_uptime: !window.counts_in_uptime,
    open: current !== undefined,
    current: rangeView(current),
    next: rangeView(next),
  });
}

function timeMembers({ times }: Pick<WindowItem, 'times'>) {
  const singleTimes = 'starts_at' in times ? times : undefined;
  const recurringTimes = 'cron' in times ? times : undefined;
  return {
    starts_at: singleTimes ? iso(singleTimes.starts_at) : null,
    ends_at: singleTimes ? iso(singleTimes.ends_at) : null,
    cron: recurringTimes?.cron ?? null,
    time_zone: recurringTimes?.time_zone ?? null,
    duration_seconds: recurringTimes ? recurringTimes.duration_ms / 1000 : null,
    every_weeks: recurringTimes?.every_weeks ?? null,
    from: recurringTimes ? iso(recurringTimes.from) : null,
    until: recurringTimes?.until === undefined ? null : iso(recurringTimes.until),
  };
}

const auditedWindow: Audited<WindowItem> = {
  type: 'window',
  target: ({ id, name }) => ({ id, name }),
  properties: (window) => ({
    name: window.name,
    note: window.note,
    public_title: window.public_title ?? '',
    scope: scopeOf(window),
    ...timeMembers(window),
    exclude_from_uptime: !window.counts_in_uptime,
  }),
};

/** Reads the windows of the account, oldest first; one-time windows until 30 days after their end. */
export async function allWindows(context: Context): Promise<readonly WindowItem[]> {
  const listedAfter = context.ports.clock.now() - LISTED_MS;
  const { windows } = await readAlerting(context, context.tenant);
  return windows.filter(({ times }) => !('ends_at' in times) || times.ends_at > listedAfter);
}

/** Finds a window. @throws AppError NOT_FOUND */
export async function requireWindow(context: Context, id: string): Promise<WindowItem> {
  return windowIn(await allWindows(context), id);
}

function windowIn(windows: readonly WindowItem[], id: string): WindowItem {
  const window = windows.find((one) => one.id === id);
  if (!window) throw notFound(`Window ${id}`);
  return window;
}

const expiryOf = (times: WindowItem['times']) =>
  'ends_at' in times ? { expires_at: Math.ceil((times.ends_at + LISTED_MS) / 1000) } : {};

const isOver = ({ times }: WindowItem, now: number): boolean => rangesOf(times, now).next().done === true;

const suppressionOf = ({ scope, times }: WindowItem, now: number): SuppressionExtent => ({
  covers_all: scope === null,
  lasts_ms: windowDuration(times, now),
});

/** Whether a change only reduces the effect of a window, as an early end does. */
function isWithin(changed: WindowItem, before: WindowItem): boolean {
  if (!isDeepStrictEqual(scopeOf(changed), scopeOf(before))) return false;
  if (before.counts_in_uptime && !changed.counts_in_uptime) return false;
  const [next, old] = [changed.times, before.times];
  if ('ends_at' in next) return 'ends_at' in old && next.starts_at >= old.starts_at && next.ends_at <= old.ends_at;
  if ('ends_at' in old) return false;
  const { from, until = Number.POSITIVE_INFINITY, ...schedule } = next;
  const { from: from_before, until: until_before = Number.POSITIVE_INFINITY, ...schedule_before } = old;
  return isDeepStrictEqual(schedule, schedule_before) && from >= from_before && until <= until_before;
}

/**
 * Adds a window. Throws LIMIT_EXCEEDED beyond 100 windows that are not over, VALIDATION_ERROR for invalid times,
 * FORBIDDEN if the window covers all checks or lasts more than a day, and the caller has no `write`.
 */
export async function addWindow(context: Context, input: NewWindow): Promise<WindowItem> {
  const { ports, keys, tenant, caller } = context;
  const { name, note = '', public_title, scope, exclude_from_uptime = true, ...given } = input;
  const now = ports.clock.now();
  const id = ports.ids.id('win');
  const times = timesOf(given, now);
  const item: WindowItem = {
    ...keys.window(tenant, id),
    v: ports.ids.token(),
    ...expiryOf(times),
    id,
    name,
    note,
    ...(public_title && { public_title }),
    times,
    ...storedScope(scope),
    ...(!exclude_from_uptime && { counts_in_uptime: true as const }),
    ...{ created_at: iso(now), updated_at: iso(now), created_by: caller.user_email },
  };
  const window = withStart(item, undefined, now);
  assertMaySuppress(context, suppressionOf(window, now));
  const auditWrites = auditWriter(context, 'create', auditedWindow);
  await changeAlerting(context, async ({ windows }) => {
    if (windows.filter((one) => !isOver(one, now)).length >= MAX_WINDOWS) {
      throw new AppError(
        'LIMIT_EXCEEDED',
        `An account has at most ${MAX_WINDOWS} windows that are not over. Delete one of them first.`,
      );
    }
    await reviseUptime(context, undefined, window);
    return { writes: [{ put: window, if: 'absent' }, ...auditWrites(undefined, window)], is_public: true };
  });
  return window;
}

/** Changes properties of a window, with immediate effect. @throws AppError NOT_FOUND, VALIDATION_ERROR, FORBIDDEN */
export async function changeWindow(
  context: Context,
  id: string,
  { id: same, name, note, public_title, scope, exclude_from_uptime, ...given }: WindowPatch,
): Promise<WindowItem> {
  const { ports } = context;
  assertUnchanged({ id }, { id: same });
  const auditWrites = auditWriter(context, 'update', auditedWindow);
  let result: WindowItem | undefined;
  await changeAlerting(context, async ({ windows }) => {
    const window = windowIn(windows, id);
    const now = ports.clock.now();
    const times = timesOf(given, now, window.times);
    const { expires_at: _before, include_dependents, counts_in_uptime, public_title: titled, ...rest } = window;
    const title = public_title ?? titled;
    const changed: WindowItem = {
      ...rest,
      ...expiryOf(times),
      name: name ?? window.name,
      note: note ?? window.note,
      ...(title && { public_title: title }),
      times,
      ...(scope ? storedScope(scope) : include_dependents && { include_dependents }),
      ...((exclude_from_uptime === undefined ? counts_in_uptime : !exclude_from_uptime) && { counts_in_uptime: true }),
    };
    result = window;
    if (isSame(auditedWindow, window, changed)) return undefined;
    if (!isWithin(changed, window)) assertMaySuppress(context, suppressionOf(changed, now));
    await reviseUptime(context, window, changed);
    const moved = !isDeepStrictEqual(times, window.times) && { moved_at: iso(now) };
    result = { ...withStart(changed, window, now), ...moved, v: ports.ids.token(), updated_at: iso(now) };
    const past = keepPast(context, window, changed, now);
    return {
      writes: [{ put: result, if: { version: window.v } }, ...past, ...auditWrites(window, result)],
      rechecks: true,
      is_public: true,
    };
  });
  return result!;
}

/** Deletes a window; an open one ends. */
export async function deleteWindow(context: Context, id: string): Promise<void> {
  const { keys, tenant } = context;
  const auditWrites = auditWriter(context, 'delete', auditedWindow);
  await changeAlerting(context, async ({ windows }) => {
    const window = windowIn(windows, id);
    await reviseUptime(context, window, undefined);
    const gone = { delete: keys.window(tenant, id), if: { version: window.v } };
    const past = keepPast(context, window, undefined, context.ports.clock.now());
    return { writes: [gone, ...past, ...auditWrites(window, undefined)], rechecks: true, is_public: true };
  });
}
