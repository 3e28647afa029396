import type { WindowItem } from '#lib/checks/maintenance.ts';
import { selects } from '#lib/checks/selector.ts';
import { DAY_MS, iso } from '#lib/platform/time.ts';
import { rangesOf } from '#lib/schedule/calendar/window-ranges.ts';
import { occurrenceId } from './feeds.ts';
import type { Source } from './sources.ts';
import type { StatusPageItem } from './status-page.ts';
import { fill, formatsOf, TEXTS } from './texts.ts';
import {
  type AnnouncedMaintenance,
  byTime,
  MAX_NEWS_AGE_MS,
  type MaintenanceView,
  type NoticeView,
  type OccurrenceView,
} from './view.ts';

/** Time (ms) by which planned maintenance is shown ahead of its start. */
const AHEAD_MS = 30 * DAY_MS;
/** Maximum number of shown occurrences of one window, and of all windows. */
const MAX_OF_WINDOW = 5;
const MAX_SHOWN = 20;

type Maintenance = {
  /** Running, then planned, by their start. */
  all: MaintenanceView[];
  /** Start of the running maintenance (ISO 8601) by component, if it includes all checks of the component. */
  running: Map<string, string>;
  /** Time of the next start or end (epoch ms); Infinity without one. */
  next_at: number;
};

/** Time (ms) that a calendar covers before and after now, and maximum number of occurrences and of names in each. */
const CALENDAR_MS = 90 * DAY_MS;
const MAX_OCCURRENCES = 500;
const MAX_NAMES = 5;

const isAffected = (scope: WindowItem['scope'], { entity, measured_by }: Source): boolean =>
  !!entity && measured_by.some((check) => check.enabled && selects(scope, { check, entity }));

/** Returns the occurrences for the calendar at `now` (epoch ms), without the names and notes of windows. Pure. */
export function occurrencesOf(
  windows: readonly WindowItem[],
  sources: readonly Source[],
  now: number,
): OccurrenceView[] {
  const all: OccurrenceView[] = [];
  for (const { id, scope, times, ...window } of windows) {
    const affected = sources.filter((source) => isAffected(scope, source));
    if (affected.length === 0) continue;
    const about = {
      title: window.public_title,
      names: affected.slice(0, MAX_NAMES).map(({ component }) => component.name),
      created_at: Date.parse(window.created_at),
      updated_at: Date.parse(window.updated_at),
    };
    for (const { from, to } of rangesOf(times, now - CALENDAR_MS)) {
      if (from > now + CALENDAR_MS) break;
      all.push({ uid: occurrenceId(id, from, 'cron' in times), from, to, ...about });
    }
  }
  const [past, coming] = [all.filter(({ to }) => to <= now), all.filter(({ to }) => to > now)].map((some) =>
    some.toSorted((a, b) => a.from - b.from),
  ) as [OccurrenceView[], OccurrenceView[]];
  const shown = coming.slice(0, MAX_OCCURRENCES);
  return [...past.slice(Math.max(0, past.length - (MAX_OCCURRENCES - shown.length))), ...shown];
}

/** Maximum number of notices; the newest are kept. */
const MAX_NOTICES = 100;
/** Time (ms) by which recurring maintenance is reported ahead of its start. */
const RECURRING_AHEAD_MS = DAY_MS;
/** If a user sets the end to at most this long (ms) ago, the window ends now; an earlier end corrects the past. */
const ENDED_NOW_MS = 5 * 60_000;

/**
 * Returns the notices of maintenance of the last day: scheduled, started, and ended. A window that a user corrected
 * after its end has none. The id and the time of a notice change only if the window is moved. Pure.
 */
export function maintenanceNotices(
  { language, time_zone }: Pick<StatusPageItem, 'language' | 'time_zone'>,
  windows: readonly WindowItem[],
  sources: readonly Source[],
  now: number,
): NoticeView[] {
  const formats = formatsOf(language, time_zone);
  const all: NoticeView[] = [];
  for (const { id, scope, times, public_title, created_at, moved_at = created_at } of windows) {
    const affected = sources.filter((source) => isAffected(scope, source));
    if (affected.length === 0) continue;
    const [created, moved] = [Date.parse(created_at), Date.parse(moved_at)];
    const [ahead, tolerance] = 'cron' in times ? [RECURRING_AHEAD_MS, 0] : [AHEAD_MS, ENDED_NOW_MS];
    const named = affected.slice(0, MAX_NAMES).map(({ component }) => component.name);
    const component_ids = affected.map(({ component }) => component.id);
    let previous = 0;
    for (const { from, to } of rangesOf(times, now - MAX_NEWS_AGE_MS)) {
      if (previous > now || from > now + ahead) break;
      // Only the next start of a recurring window is reported ahead.
      const scheduled_at = Math.max(moved, from - ahead, previous);
      previous = from;
      const [starts_at, ends_at] = [iso(from), iso(to)];
      const steps = [
        ...(moved < from ? [{ status: 'scheduled', time: scheduled_at } as const] : []),
        ...(moved < to ? [{ status: 'started', time: from } as const] : []),
        ...(created < to && moved < to + tolerance ? [{ status: 'ended', time: to } as const] : []),
      ].filter(({ time }) => time <= now && time > now - MAX_NEWS_AGE_MS);
      for (const { status, time } of steps)
        all.push({
          id: `${id}-${from}-${status === 'started' ? '' : `${to}-`}${status}`,
          ...{ incident_id: null, maintenance: { id: `${id}-${from}`, starts_at, ends_at }, status },
          title: public_title ?? named.join(', '),
          message: fill(TEXTS[language].from_to, { from: formats.time(starts_at), to: formats.time(ends_at) }),
          ...{ at: iso(time), component_ids },
        });
    }
  }
  return all.toSorted(byTime).slice(-MAX_NOTICES);
}

/**
 * Returns the maintenance that subscribers know after `notices`, with its current end. Marks occurrences as removed
 * that their window no longer has. A moved one-time window is omitted, because its new start has a notice. Pure.
 */
export function followAnnounced(
  announced: readonly AnnouncedMaintenance[],
  windows: readonly WindowItem[],
  notices: readonly NoticeView[],
  now: number,
): AnnouncedMaintenance[] {
  const followed = announced.flatMap((one) => {
    if (one.removed_at !== undefined) return [one];
    const window = windows.find(({ id }) => id === one.window_id);
    const found = window && startingAt(window, one.from);
    if (found) return [{ ...one, to: found.to }];
    return window && 'starts_at' in window.times ? [] : [{ ...one, removed_at: now }];
  });
  const byId = new Map(followed.map((one) => [`${one.window_id}-${one.from}`, one]));
  for (const { maintenance, status, title, component_ids } of notices) {
    if (status !== 'scheduled' && status !== 'started') continue;
    const { id, starts_at, ends_at } = maintenance;
    const [from, to] = [Date.parse(starts_at), Date.parse(ends_at)];
    if (to <= now) continue;
    const window_id = id.slice(0, -`-${from}`.length);
    byId.set(id, { window_id, from, to, title, component_ids, is_started: status === 'started' });
  }
  return [...byId.values()].slice(-MAX_NOTICES);
}

/** Returns the announced maintenance that is neither over at `now` (epoch ms) nor removed. Pure. */
export const stillAnnounced = (announced: readonly AnnouncedMaintenance[], now: number): AnnouncedMaintenance[] =>
  announced.filter(({ to, removed_at }) => to > now && removed_at === undefined);

function startingAt({ times }: WindowItem, start: number) {
  for (const range of rangesOf(times, start)) if (range.from >= start) return range.from === start ? range : undefined;
  return undefined;
}

/** Returns the notices of removed maintenance: cancelled, or ended if it had started. Pure. */
export function removalNotices(
  { language, time_zone }: Pick<StatusPageItem, 'language' | 'time_zone'>,
  announced: readonly AnnouncedMaintenance[],
): NoticeView[] {
  const formats = formatsOf(language, time_zone);
  return announced.flatMap(({ window_id, from, to, title, component_ids, is_started, removed_at }) => {
    if (removed_at === undefined) return [];
    const id = `${window_id}-${from}`;
    const status = is_started ? 'ended' : 'cancelled';
    const end = is_started ? Math.min(to, removed_at) : to;
    const [starts_at, ends_at] = [iso(from), iso(end)];
    return {
      // If the maintenance had ended before its removal, this is the id of its normal end notice.
      id: `${id}-${end}-${status}`,
      ...{ incident_id: null, maintenance: { id, starts_at, ends_at }, status, title },
      message: fill(TEXTS[language].from_to, { from: formats.time(starts_at), to: formats.time(ends_at) }),
      ...{ at: is_started ? ends_at : iso(removed_at), component_ids },
    };
  });
}

/** Returns the maintenance of a page at `now` (epoch ms), without the names and notes of windows. Pure. */
export function maintenanceOf(
  { language }: Pick<StatusPageItem, 'language'>,
  windows: readonly WindowItem[],
  sources: readonly Source[],
  now: number,
): Maintenance {
  const texts = TEXTS[language];
  const all: MaintenanceView[] = [];
  const running = new Map<string, string>();
  let next_at = Number.POSITIVE_INFINITY;
  for (const { id, scope, times, public_title } of windows) {
    const includes = ({ entity, measured_by }: Source, how: 'some' | 'every') => {
      const active = measured_by.filter(({ enabled }) => enabled);
      return !!entity && active.length > 0 && active[how]((check) => selects(scope, { check, entity }));
    };
    const affected = sources.filter((source) => includes(source, 'some'));
    if (affected.length === 0) continue;
    let count = 0;
    for (const { from, to } of rangesOf(times, now)) {
      if (from > now + AHEAD_MS || count++ === MAX_OF_WINDOW) break;
      const isRunning = from <= now;
      next_at = Math.min(next_at, isRunning ? to : from);
      if (isRunning) {
        for (const source of affected.filter((one) => includes(one, 'every')))
          running.set(source.component.id, iso(from));
      }
      all.push({
        id: `${id}-${from}`,
        title: public_title ?? texts.scheduled,
        starts_at: iso(from),
        ends_at: iso(to),
        status: isRunning ? 'running' : 'planned',
        component_ids: affected.map(({ component }) => component.id),
      });
    }
  }
  all.sort((a, b) => (a.starts_at < b.starts_at ? -1 : 1));
  return { all: all.slice(0, MAX_SHOWN), running, next_at };
}
