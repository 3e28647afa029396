import * as z from 'zod';
import { auditWriter } from '#lib/access/audit-writer.ts';
import type { Context } from '#lib/access/context.ts';
import { readAlerting } from '#lib/alerting/policy/account-alerting.ts';
import { intervalsAt, intervalsOf, type TimeRange, type WindowTimes } from '#lib/alerting/policy/intervals.ts';
import { idsOf, SelectorLabels } from '#lib/alerting/policy/selector.ts';
import type { WindowItem } from '#lib/alerting/policy/windows.ts';
import { type Audited, isSame } from '#lib/audit/write.ts';
import { AppError, invalid, notFound } from '#lib/platform/errors.ts';
import { CreatedAt, IdOf, Unchanged, UpdatedAt } from '#lib/platform/http/route.ts';
import { assertUnchanged } from '#lib/platform/http/validation.ts';
import { Instant } from '#lib/platform/instant.ts';
import { pick } from '#lib/platform/plain-data.ts';
import { line, Name, Slug } from '#lib/platform/text.ts';
import { DAY_MS, iso } from '#lib/platform/time.ts';
import { assertTimeZone, dueTimes } from '#lib/schedule/calendar/calendar.ts';
import { parseCron } from '#lib/schedule/calendar/cron.ts';
import { CalendarError, type ScheduleLine } from '#lib/schedule/calendar/schedule-line.ts';
import { changeAlerting } from './change-alerting.ts';

const MEANINGS = {
  name: 'What people call it.',
  note: 'What is done in it, for people.',
  scope: 'The checks that it is about: those that fit every member; `{"all": true}` for all.',
  starts_at: 'Of one that comes once: when it begins.',
  ends_at: 'Of one that comes once: when it ends; 60 seconds to 31 days after its begin.',
  cron: 'Of one that comes again: when it begins, as five fields of cron; `0 2 * * sat#2` is the second Saturday of each month, `L` its last day, `friL` its last Friday.',
  time_zone: 'Of one that comes again: where its clock hangs, a name of the IANA database. Default UTC.',
  duration_seconds: 'Of one that comes again: how long each is, in real time; 60 to 2678400 (31 days).',
  every_weeks: 'Of one that comes again: only in every so many weeks, counted from its first. Default 1.',
  from: 'Of one that comes again: none begins before it. Default: when the window was made.',
  until: 'Of one that comes again: none begins at or after it; null: it has no end.',
};

/** Which checks a window is about. */
const WindowScope = z
  .strictObject({
    all: z.literal(true).describe('All checks.').exactOptional(),
    labels: SelectorLabels,
    blueprint_slug: Slug.describe('Checks of the entities of this blueprint.').exactOptional(),
    entity_ids: idsOf('ent', 'an entity').describe('Checks of these entities.').exactOptional(),
    check_ids: idsOf('chk', 'a check').describe('These checks.').exactOptional(),
    include_dependents: z
      .boolean()
      .describe('Also what goes down because an entity does whose checks are all in it. Default false.')
      .exactOptional(),
  })
  .refine(
    ({ include_dependents: _more, ...scope }) => Object.keys(scope).length > 0,
    'must have at least one member; {"all": true} stands for all checks',
  )
  .refine(
    ({ all, include_dependents: _more, ...rest }) => !all || Object.keys(rest).length === 0,
    'must have nothing beside all',
  )
  .meta({ id: 'WindowScope' });
type WindowScope = z.infer<typeof WindowScope>;

const settings = {
  name: Name.describe(MEANINGS.name),
  note: line(0, 1000).describe(MEANINGS.note).exactOptional(),
  scope: WindowScope.describe(MEANINGS.scope),
  starts_at: Instant.describe(MEANINGS.starts_at).exactOptional(),
  ends_at: Instant.describe(MEANINGS.ends_at).exactOptional(),
  cron: z.string().min(1).max(200).describe(MEANINGS.cron).exactOptional(),
  time_zone: z.string().max(100).describe(MEANINGS.time_zone).exactOptional(),
  duration_seconds: z.int().describe(MEANINGS.duration_seconds).exactOptional(),
  every_weeks: z.int().min(1).max(52).describe(MEANINGS.every_weeks).exactOptional(),
  from: Instant.describe(MEANINGS.from).exactOptional(),
  until: Instant.nullable().describe(MEANINGS.until).exactOptional(),
};

export const NewWindow = z.object(settings).meta({ id: 'NewWindow' });
export type NewWindow = z.output<typeof NewWindow>;

/** What of a window is changed; the rest keeps its value. */
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
  from: z.iso.datetime().describe('When it begins.'),
  to: z.iso.datetime().describe('When it ends.'),
});

export const WindowRecord = z
  .object({
    id: IdOf('the window'),
    name: z.string().describe(MEANINGS.name),
    note: z.string().describe(MEANINGS.note),
    scope: WindowScope.describe(MEANINGS.scope),
    starts_at: z.iso.datetime().nullable().describe(MEANINGS.starts_at),
    ends_at: z.iso.datetime().nullable().describe(MEANINGS.ends_at),
    cron: z.string().nullable().describe(MEANINGS.cron),
    time_zone: z.string().nullable().describe(MEANINGS.time_zone),
    duration_seconds: z.int().nullable().describe(MEANINGS.duration_seconds),
    every_weeks: z.int().nullable().describe(MEANINGS.every_weeks),
    from: z.iso.datetime().nullable().describe(MEANINGS.from),
    until: z.iso.datetime().nullable().describe(MEANINGS.until),
    open: z.boolean().describe('Whether it is open now.'),
    current: IntervalRecord.nullable().describe('The time in which it is open now; null while it is not.'),
    next: IntervalRecord.nullable().describe('When it is open next; null when it is never again.'),
    created_at: CreatedAt,
    updated_at: UpdatedAt,
    created_by: z.string().describe('E-mail address of the user who made it; empty for a key of nobody.'),
  })
  .meta({ id: 'Window' });
export type WindowRecord = z.infer<typeof WindowRecord>;

export const ChangedWindow = WindowRecord.extend({
  notice: z.string().nullable().describe('Said where no check fits its scope at present; else null.'),
}).meta({ id: 'ChangedWindow' });

const MIN_MS = 60_000;
const MAX_MS = 31 * DAY_MS;

const ONCE = ['starts_at', 'ends_at'] as const;
const AGAIN = ['cron', 'time_zone', 'duration_seconds', 'every_weeks', 'from', 'until'] as const;

type Given = Pick<WindowPatch, (typeof ONCE)[number] | (typeof AGAIN)[number]>;

/**
 * Pure: the times of a window as a request states them, laid over those it has. One that comes once stays so.
 * @param now epoch ms
 * @throws AppError VALIDATION_ERROR by member: of no length, too long, over already, in a zone that is none
 */
function timesOf(given: Given, now: number, stored?: WindowTimes): WindowTimes {
  const comesAgain = stored ? 'cron' in stored : given.cron !== undefined;
  const strange = (comesAgain ? ONCE : AGAIN).find((name) => given[name] !== undefined && given[name] !== null);
  if (strange) {
    const kind = comesAgain ? 'one that comes once; this one has a cron' : 'one that comes again, by its cron';
    throw invalid(strange, `is of ${kind}`);
  }
  return comesAgain ? recurring(given, now, stored) : once(given, now, stored);
}

function once(given: Given, now: number, stored: WindowTimes | undefined): WindowTimes {
  const before = stored && 'starts_at' in stored ? stored : undefined;
  const starts_at = given.starts_at ?? before?.starts_at;
  const ends_at = given.ends_at ?? before?.ends_at;
  if (starts_at === undefined) throw invalid('starts_at', 'is required, or cron for a window that comes again');
  if (ends_at === undefined) throw invalid('ends_at', 'is required');
  assertDuration('ends_at', ends_at - starts_at);
  if (given.ends_at !== undefined && ends_at !== before?.ends_at && ends_at <= now && !before)
    throw invalid('ends_at', `has passed: it is ${iso(now)} now`);
  return { starts_at, ends_at };
}

function recurring(given: Given, now: number, stored: WindowTimes | undefined): WindowTimes {
  const before = stored && 'cron' in stored ? stored : undefined;
  const cron = given.cron ?? before!.cron;
  const time_zone = given.time_zone ?? before?.time_zone ?? 'UTC';
  const duration_ms = given.duration_seconds === undefined ? before?.duration_ms : given.duration_seconds * 1000;
  if (duration_ms === undefined) throw invalid('duration_seconds', 'is required beside cron');
  assertDuration('duration_seconds', duration_ms);
  const from = given.from ?? before?.from ?? now;
  const until = given.until === undefined ? before?.until : (given.until ?? undefined);
  if (until !== undefined && until <= from) throw invalid('until', 'must be after from');
  understood('time_zone', () => assertTimeZone(time_zone));
  const line = understood('cron', () => parseCron(cron, time_zone));
  assertEndWithin(line, from, duration_ms);
  const every_weeks = given.every_weeks ?? before?.every_weeks ?? 1;
  return { cron, time_zone, duration_ms, every_weeks, from, ...(until !== undefined && { until }) };
}

/** So many starts are looked at. */
const LOOKED_AT = 50;

/** One that begins again before it is over says nothing that a longer one would not. */
function assertEndWithin(line: ScheduleLine, from: number, duration_ms: number): void {
  let last: number | undefined;
  let looked = 0;
  for (const start of dueTimes([line], from - 1)) {
    if (last !== undefined && start - last < duration_ms)
      throw invalid('duration_seconds', `is longer than the ${(start - last) / 1000} seconds between two starts`);
    last = start;
    if (++looked === LOOKED_AT) return;
  }
  if (last === undefined) throw invalid('cron', 'has no start within five years');
}

function assertDuration(member: string, length_ms: number): void {
  if (member === 'ends_at' && length_ms <= 0) throw invalid(member, 'must be after starts_at');
  if (length_ms < MIN_MS) throw invalid(member, 'makes a window of less than 60 seconds, which is the least');
  if (length_ms > MAX_MS) throw invalid(member, 'makes a window of more than 31 days, which is the most');
}

/** What a parser of the calendar has against it, as a fault of a member. */
function understood<T>(member: string, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    if (error instanceof CalendarError) throw invalid(member, error.message);
    throw error;
  }
}

const MAX_WINDOWS = 100;
/** A window that comes once is listed for so long (ms) after its end. */
const LISTED_MS = 30 * DAY_MS;

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

const shown = (interval: TimeRange | undefined) =>
  interval ? { from: iso(interval.from), to: iso(interval.to) } : null;

/** A window as the API shows it at `now` (epoch ms). */
export function windowView(window: WindowItem, now: number): WindowRecord {
  const { times } = window;
  const { current, next } = intervalsAt(times, now);
  return pick(WindowRecord, {
    ...window,
    scope: scopeOf(window),
    ...timeMembers(window),
    open: current !== undefined,
    current: shown(current),
    next: shown(next),
  });
}

function timeMembers({ times }: Pick<WindowItem, 'times'>) {
  const once = 'starts_at' in times ? times : undefined;
  const again = 'cron' in times ? times : undefined;
  return {
    starts_at: once ? iso(once.starts_at) : null,
    ends_at: once ? iso(once.ends_at) : null,
    cron: again?.cron ?? null,
    time_zone: again?.time_zone ?? null,
    duration_seconds: again ? again.duration_ms / 1000 : null,
    every_weeks: again?.every_weeks ?? null,
    from: again ? iso(again.from) : null,
    until: again?.until === undefined ? null : iso(again.until),
  };
}

const auditedWindow: Audited<WindowItem> = {
  type: 'window',
  target: ({ id, name }) => ({ id, name }),
  members: (window) => ({
    name: window.name,
    note: window.note,
    scope: scopeOf(window),
    ...timeMembers(window),
  }),
};

/** The windows of the account, oldest first; one that came once and is over, for 30 days. */
export async function allWindows(context: Context): Promise<readonly WindowItem[]> {
  const listedAfter = context.ports.clock.now() - LISTED_MS;
  const { windows } = await readAlerting(context, context.tenant);
  return windows.filter(({ times }) => !('ends_at' in times) || times.ends_at > listedAfter);
}

/** @throws AppError NOT_FOUND */
export async function requireWindow(context: Context, id: string): Promise<WindowItem> {
  return windowIn(await allWindows(context), id);
}

function windowIn(windows: readonly WindowItem[], id: string): WindowItem {
  const window = windows.find((one) => one.id === id);
  if (!window) throw notFound(`Window ${id}`);
  return window;
}

/** When the table may drop it (epoch seconds): of one that comes once, some time after it stops being listed. */
const expiryOf = (times: WindowItem['times']) =>
  'ends_at' in times ? { expires_at: Math.ceil((times.ends_at + LISTED_MS) / 1000) } : {};

const isOver = ({ times }: WindowItem, now: number): boolean => intervalsOf(times, now).next().done === true;

/** @throws AppError LIMIT_EXCEEDED beyond 100 that are not over, VALIDATION_ERROR for times that make no window */
export async function addWindow(context: Context, input: NewWindow): Promise<WindowItem> {
  const { ports, keys, tenant, caller } = context;
  const { name, note = '', scope, ...given } = input;
  const now = ports.clock.now();
  const id = ports.ids.id('win');
  const times = timesOf(given, now);
  const window: WindowItem = {
    ...keys.window(tenant, id),
    v: ports.ids.token(),
    ...expiryOf(times),
    id,
    name,
    note,
    times,
    ...storedScope(scope),
    created_at: iso(now),
    updated_at: iso(now),
    created_by: caller.user_email,
  };
  const written = auditWriter(context, 'create', auditedWindow);
  await changeAlerting(context, ({ windows }) => {
    if (windows.filter((one) => !isOver(one, now)).length >= MAX_WINDOWS) {
      throw new AppError('LIMIT_EXCEEDED', `An account has at most ${MAX_WINDOWS} windows. Delete one first.`);
    }
    return { writes: [{ put: window, if: 'absent' }, ...written(undefined, window)] };
  });
  return window;
}

/** Changes what is given of a window, which counts at once. @throws AppError as for a new one */
export async function changeWindow(
  context: Context,
  id: string,
  { id: _same, name, note, scope, ...given }: WindowPatch,
): Promise<WindowItem> {
  const { ports } = context;
  assertUnchanged({ id }, { id: _same });
  const written = auditWriter(context, 'update', auditedWindow);
  let result: WindowItem | undefined;
  await changeAlerting(context, ({ windows }) => {
    const window = windowIn(windows, id);
    const now = ports.clock.now();
    const times = timesOf(given, now, window.times);
    const { expires_at: _before, include_dependents, ...rest } = window;
    const changed: WindowItem = {
      ...rest,
      ...expiryOf(times),
      name: name ?? window.name,
      note: note ?? window.note,
      times,
      ...(scope ? storedScope(scope) : include_dependents && { include_dependents }),
    };
    result = window;
    if (isSame(auditedWindow, window, changed)) return undefined;
    result = { ...changed, v: ports.ids.token(), updated_at: iso(now) };
    return { writes: [{ put: result, if: { version: window.v } }, ...written(window, result)], wakes: true };
  });
  return result!;
}

/** Deletes a window; one that is open ends. */
export async function deleteWindow(context: Context, id: string): Promise<void> {
  const { keys, tenant } = context;
  const written = auditWriter(context, 'delete', auditedWindow);
  await changeAlerting(context, ({ windows }) => {
    const window = windowIn(windows, id);
    const gone = { delete: keys.window(tenant, id), if: { version: window.v } };
    return { writes: [gone, ...written(window, undefined)], wakes: true };
  });
}
