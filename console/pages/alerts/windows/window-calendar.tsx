import { useMemo } from 'preact/hooks';
import type { MaintenanceWindow } from '#console/api/records.ts';
import { zone } from '#console/app/appearance.ts';
import { setQuery } from '#console/app/router.ts';
import { Button } from '#console/parts/button.tsx';
import { hourAndMinute, monthName, timeRange, type Zone } from '#console/rules/time.ts';
import {
  type Bar,
  barsOf,
  type CalendarSpan,
  type Day,
  isMonth,
  monthAt,
  monthsLater,
  weeksOf,
} from '#console/rules/windows/calendar.ts';
import { nextOccurrences, timesOf } from '#console/rules/windows/times.ts';
import { list } from '#console/rules/words.ts';
import { hrefOfWindow } from './window-table.tsx';

type CalendarProps = { windows: readonly MaintenanceWindow[]; query: URLSearchParams };

const WEEKDAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];

/** Calendar of the month in the address. A bar shows one occurrence, or several on one day. A phone shows a list. */
export function WindowCalendar({ windows, query }: CalendarProps) {
  const now = Date.now();
  const currentMonth = monthAt(now, zone.value);
  const chosen = query.get('month') ?? '';
  const month = isMonth(chosen) ? chosen : currentMonth;
  const weeks = useMemo(() => weeksOf(month, zone.value), [month, zone.value]);
  const { spans, tooMany } = useMemo(() => spansIn(windows, weeks), [windows, weeks]);
  const turn = (count: number) => setQuery({ month: monthsLater(month, count) });
  const drawn = weeks.map((week) => ({ week, bars: barsOf(week, spans) }));
  return (
    <section class="calendar" aria-label="Calendar">
      <header class="row-actions">
        <Button small label="Previous month" icon="left" onClick={() => turn(-1)} />
        <Button small label="Next month" icon="right" onClick={() => turn(1)} />
        <Button
          small
          why={month === currentMonth ? 'This month is shown.' : undefined}
          onClick={() => setQuery({ month: '' })}
        >
          Today
        </Button>
        <h2 aria-live="polite">{monthName(weeks[1]![0]!.from, zone.value)}</h2>
      </header>
      <p class="week-head" aria-hidden="true">
        {WEEKDAYS.map((name) => (
          <span key={name}>{name}</span>
        ))}
      </p>
      {drawn.map(({ week, bars }) => (
        <Week key={week[0]!.from} week={week} bars={bars} now={now} zone={zone.value} />
      ))}
      {drawn.every(({ bars }) => bars.length === 0) && <p class="hint">No window is open in this month.</p>}
      {tooMany.length > 0 && (
        <p class="hint" dir="auto">
          {list(tooMany)}: open too often for the calendar; the list shows the next occurrence.
        </p>
      )}
    </section>
  );
}

type WeekProps = { week: readonly Day[]; bars: readonly Bar<MaintenanceWindow>[]; now: number; zone: Zone };

const Week = ({ week, bars, now, zone }: WeekProps) => (
  <ol class={bars.length > 0 ? 'week' : 'week free'}>
    {week.map(({ from, to, number, isIn }, i) => {
      const isToday = from <= now && now < to;
      return (
        <li
          key={from}
          class={['day', !isIn && 'other', isToday && 'today'].filter(Boolean).join(' ')}
          style={{ gridColumn: i + 1 }}
          aria-hidden={!isToday}
        >
          <span>{number}</span>
          {isToday && <span class="unseen"> is today</span>}
        </li>
      );
    })}
    {bars.map(({ of, from, to, column, columns, lane, isContinued, times }) => {
      const when = timeRange(from, to, zone);
      const is = to <= now ? 'over' : from <= now ? 'open' : 'next';
      return (
        <li
          key={`${of.id} ${from}`}
          class={isContinued ? 'continued' : undefined}
          style={{ gridColumn: `${column + 1} / span ${columns}`, gridRow: lane + 2 }}
        >
          <a class={`bar ${is}`} href={hrefOfWindow(of.id)} title={`${of.name}: ${when}`}>
            <span class="bar-when">{when}</span>
            <span class="bar-begin" aria-hidden="true">
              {isContinued ? '…' : hourAndMinute(from, zone)}
            </span>{' '}
            <bdi>{of.name}</bdi>
            {times > 1 && `, ${times} times`}
            {is === 'open' && ', open'}
          </a>
        </li>
      );
    })}
  </ol>
);

/** Maximum number of occurrences per window: every hour of six weeks. */
const MAX_OCCURRENCES = 1008;

function spansIn(windows: readonly MaintenanceWindow[], weeks: readonly (readonly Day[])[]) {
  const [begin, end] = [weeks[0]![0]!.from, weeks.at(-1)!.at(-1)!.to];
  const spans: CalendarSpan<MaintenanceWindow>[] = [];
  const tooMany: string[] = [];
  for (const one of windows) {
    const times = timesOf(one, begin);
    const found = times ? nextOccurrences(times, begin, MAX_OCCURRENCES + 1, end) : [];
    if (found.length > MAX_OCCURRENCES) tooMany.push(one.name);
    else spans.push(...found.map((interval) => ({ ...interval, of: one })));
  }
  return { spans, tooMany };
}
