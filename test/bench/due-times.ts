import { nextDue, parseCalendar } from '#lib/schedule/calendar/calendar.ts';
import { drawCases, type Kind } from '#test/calendar/field.ts';
import type { Figures } from './figures.ts';

/** CPU of a due time, ms: a schedule is read, and asked once, as for each deadline; most near a change of clocks. */
export function dueTimes(): Figures {
  const took = (kind: Kind): number => {
    const cases = drawCases(kind, 5000, 11);
    // The zones of a process are read once.
    for (const { zone, text, at } of cases) nextDue(parseCalendar(text, zone), at);
    const began = process.cpuUsage();
    for (const { zone, text, at } of cases) nextDue(parseCalendar(text, zone), at);
    const { user, system } = process.cpuUsage(began);
    return (user + system) / 1000 / cases.length;
  };
  return { cron_due_time_cpu_ms: took('cron'), on_calendar_due_time_cpu_ms: took('OnCalendar') };
}
