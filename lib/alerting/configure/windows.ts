import { auditing } from '#lib/access/auditing.ts';
import type { Context } from '#lib/access/context.ts';
import { readAlerting } from '#lib/alerting/policy/account-alerting.ts';
import { type Interval, intervalsAt, intervalsOf } from '#lib/alerting/policy/intervals.ts';
import type { WindowItem } from '#lib/alerting/policy/windows.ts';
import {
  type NewWindow,
  type WindowPatch,
  WindowRecord,
  type WindowScope,
} from '#lib/alerts/account/window-schemas.ts';
import { timesOf } from '#lib/alerts/account/window-times.ts';
import { type Audited, isSame } from '#lib/audit/write.ts';
import { AppError, notFound } from '#lib/platform/errors.ts';
import { mustStay } from '#lib/platform/must-stay.ts';
import { pick } from '#lib/platform/plain-data.ts';
import { DAY_MS, iso } from '#lib/platform/time.ts';
import { changeAlerting } from './change-alerting.ts';

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

const shown = (interval: Interval | undefined) =>
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
  const written = auditing(context, 'create', auditedWindow);
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
  mustStay({ id }, { id: _same });
  const written = auditing(context, 'update', auditedWindow);
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
  const written = auditing(context, 'delete', auditedWindow);
  await changeAlerting(context, ({ windows }) => {
    const window = windowIn(windows, id);
    const gone = { delete: keys.window(tenant, id), if: { version: window.v } };
    return { writes: [gone, ...written(window, undefined)], wakes: true };
  });
}
