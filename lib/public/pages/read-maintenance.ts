import type { WindowItem } from '#lib/checks/maintenance.ts';
import { selects } from '#lib/checks/selector.ts';
import { DAY_MS, iso } from '#lib/platform/time.ts';
import { intervalsOf } from '#lib/schedule/calendar/intervals.ts';
import { occurrenceId } from './feeds.ts';
import type { Source } from './sources.ts';
import type { StatusPageItem } from './status-page.ts';
import { TEXTS } from './texts.ts';
import type { MaintenanceView, OccurrenceView } from './view.ts';

/** Time (ms) for which planned maintenance is shown ahead. */
const AHEAD_MS = 30 * DAY_MS;
/** Maximum number of occurrences of a window, and of all. */
const MAX_OF_WINDOW = 5;
const MAX_SHOWN = 20;

type Maintenance = {
  /** Running, then planned, by their start. */
  all: MaintenanceView[];
  /** Start of the running maintenance of components by id (ISO 8601). */
  running: Map<string, string>;
  /** Time of the next start or end (epoch ms); infinite without one. */
  next_at: number;
};

/** Time (ms) before and after now for which a calendar has maintenance, and maximum number of occurrences and names. */
const CALENDAR_MS = 90 * DAY_MS;
const MAX_OCCURRENCES = 500;
const MAX_NAMES = 5;

const isTouched = (scope: WindowItem['scope'], { entity, measured_by }: Source): boolean =>
  !!entity && measured_by.some((check) => check.enabled && selects(scope, { check, entity }));

/** Returns the maintenance of a calendar at `now` (epoch ms), without names and notes of windows. Pure. */
export function occurrencesOf(
  windows: readonly WindowItem[],
  sources: readonly Source[],
  now: number,
): OccurrenceView[] {
  const all: OccurrenceView[] = [];
  for (const { id, scope, times, ...window } of windows) {
    const touched = sources.filter((source) => isTouched(scope, source));
    if (touched.length === 0) continue;
    const about = {
      title: window.public_title,
      names: touched.slice(0, MAX_NAMES).map(({ component }) => component.name),
      created_at: Date.parse(window.created_at),
      updated_at: Date.parse(window.updated_at),
    };
    for (const { from, to } of intervalsOf(times, now - CALENDAR_MS)) {
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

/** Returns the maintenance of a page at `now` (epoch ms), without names and notes of windows. Pure. */
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
    const touched = sources.filter((source) => includes(source, 'some'));
    if (touched.length === 0) continue;
    let count = 0;
    for (const { from, to } of intervalsOf(times, now)) {
      if (from > now + AHEAD_MS || count++ === MAX_OF_WINDOW) break;
      const isRunning = from <= now;
      next_at = Math.min(next_at, isRunning ? to : from);
      if (isRunning) {
        for (const source of touched.filter((one) => includes(one, 'every')))
          running.set(source.component.id, iso(from));
      }
      all.push({
        id: `${id}-${from}`,
        title: public_title ?? texts.scheduled,
        message: '',
        starts_at: iso(from),
        ends_at: iso(to),
        status: isRunning ? 'running' : 'planned',
        component_ids: touched.map(({ component }) => component.id),
      });
    }
  }
  all.sort((a, b) => (a.starts_at < b.starts_at ? -1 : 1));
  return { all: all.slice(0, MAX_SHOWN), running, next_at };
}
