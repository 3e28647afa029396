import type { CheckItem } from '#lib/checks/check-item.ts';
import type { SilenceDeadline } from '#lib/checks/heartbeat.ts';
import { wallClock } from '#lib/schedule/calendar/calendar.ts';
import { silenceRules } from './rules.ts';

const seconds = (ms: number): number => Math.floor(ms / 1000);

/**
 * What a failure by silence says; times by the clock of the check's zone.
 * @param last when the newest sign of life came @param now both epoch ms
 */
export function missedMessage(
  check: Pick<CheckItem, 'config' | 'interval_seconds' | 'rev'>,
  missed: SilenceDeadline,
  last: number | undefined,
  now: number,
): string {
  const { zone, grace, maxRun, first } = silenceRules(check);
  switch (missed.misses) {
    case 'end of a run':
      return `started ${wallClock(zone, missed.started_at)} and not finished within ${seconds(maxRun)} s`;
    case 'first sign':
      return `nothing came within ${seconds(first)} s of its ${check.rev === 1 ? 'creation' : 'last change of settings'}`;
    case 'due time': {
      const heard = last === undefined ? 'none has come yet' : `last ${toMinute(wallClock(zone, last))}`;
      const due = wallClock(zone, missed.due).replace(/:00$/, '');
      return `no sign of life for the run due ${due} ${zone} (grace ${seconds(grace)} s); ${heard}`;
    }
    case 'any sign':
      return `no result for ${seconds(now - missed.since)} s (grace ${seconds(grace)} s)`;
  }
}

const toMinute = (wall: string): string => wall.slice(0, 16);
