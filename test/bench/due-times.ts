import { nextDue, parseCalendar } from '#lib/schedule/calendar/calendar.ts';
import { drawCases, type Kind } from '#test/calendar/peers.ts';
import type { Figures } from './figures.ts';

/** Measures the CPU of a due time (ms): parses a schedule and evaluates it once, mostly near a change of clocks. */
export function dueTimes(): Figures {
  const took = (kind: Kind): number => {
    const cases = drawCases(kind, 5000, 11);
    // The first pass loads the time zones of the process, which is not measured.
    for (const { zone, text, at } of cases) nextDue(parseCalendar(text, zone), at);
    const began = process.cpuUsage();
    for (const { zone, text, at } of cases) nextDue(parseCalendar(text, zone), at);
    const { user, system } = process.cpuUsage(began);
    return (user + system) / 1000 / cases.length;
  };
  return { cron_due_time_cpu_ms: took('cron'), on_calendar_due_time_cpu_ms: took('OnCalendar') };
}
