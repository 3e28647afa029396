import { describe, expect, it } from 'vitest';
import type { MaintenanceWindow } from '#console/api/records.ts';
import { bodyOf, draftOf } from '#console/rules/form-draft.ts';
import { fieldsOf } from '#console/rules/form-fields.ts';
import { barsOf, monthAt, monthsLater, weeksOf } from '#console/rules/windows/calendar.ts';
import { isShown, requestOf, windowFormValues, windowSchema } from '#console/rules/windows/form.ts';
import { compareStatus, endingOf, nextOccurrences, timesOf, windowStatus } from '#console/rules/windows/times.ts';
import { NewWindow, WindowPatch } from '#lib/alerting/configure/windows.ts';

const HOUR = 3_600_000;
const at = (text: string) => Date.parse(text);

const ONCE: MaintenanceWindow = {
  ...{ id: 'win_1', name: 'Move', note: '', scope: { all: true }, open: false, current: null, next: null },
  ...{ starts_at: '2026-12-05T22:00:00.000Z', ends_at: '2026-12-06T04:00:00.000Z' },
  ...{ cron: null, time_zone: null, duration_seconds: null, every_weeks: null, from: null, until: null },
  ...{ public_title: '', created_at: '', updated_at: '', exclude_from_uptime: true, created_by: '' },
};
const RECURRING: MaintenanceWindow = {
  ...ONCE,
  ...{ id: 'win_2', name: 'Patches' },
  scope: { blueprint_slug: 'service', labels: { team: ['a', 'b'] }, include_dependents: true },
  ...{ starts_at: null, ends_at: null, cron: '30 2 * * sat', time_zone: 'Europe/Berlin', duration_seconds: 7200 },
  ...{ every_weeks: 2, from: '2026-11-21T08:00:00.000Z', until: null },
};

describe('times of a maintenance window', () => {
  it('match the times of the service, once all properties are entered', () => {
    expect(timesOf({ cron: '30 2 * * sat' }, 0)).toBeUndefined();
    expect(timesOf({ starts_at: ONCE.starts_at }, 0)).toBeUndefined();
    const times = timesOf(RECURRING, 0)!;
    expect(nextOccurrences(times, at('2026-11-21T08:00:00Z'), 2).map(({ from, to }) => [from, to])).toEqual([
      [at('2026-11-28T01:30:00Z'), at('2026-11-28T03:30:00Z')],
      [at('2026-12-12T01:30:00Z'), at('2026-12-12T03:30:00Z')],
    ]);
  });

  it('reject an invalid cron expression or time zone', () => {
    expect(() => timesOf({ cron: '30 2 *' }, 0)).toThrow('has 3 fields');
    expect(() => timesOf({ cron: '30 2 * * *', time_zone: 'Berlin' }, 0)).toThrow('unknown time zone Berlin');
  });

  it('sort open windows first, then planned ones, then past ones', () => {
    const statuses = ['2026-12-06T00:00:00Z', '2026-12-01T00:00:00Z', '2026-12-07T00:00:00Z'].map((now) =>
      windowStatus(ONCE, at(now)),
    );
    expect(statuses.map(({ is }) => is)).toEqual(['open', 'next', 'over']);
    expect(statuses.toReversed().toSorted(compareStatus)).toEqual(statuses);
  });

  it('end an open occurrence and keep later ones', () => {
    expect(endingOf(ONCE, at('2026-12-06T00:00:00Z'))).toEqual({ change: { ends_at: '2026-12-06T00:00:00.000Z' } });
    expect(endingOf(ONCE, at('2026-12-05T22:00:10Z'))).toEqual({ change: { ends_at: '2026-12-05T22:01:00.000Z' } });

    const inside = at('2026-11-28T02:00:00Z');
    const ending = endingOf(RECURRING, inside);
    expect(ending).toEqual({ change: { from: '2026-12-12T01:30:00.000Z' } });
    const later = { ...RECURRING, ...(ending as { change: { from: string } }).change };
    const occurrencesOf = (window: MaintenanceWindow) =>
      nextOccurrences(timesOf(window, 0)!, at('2026-11-29T00:00:00Z'), 5);
    expect(windowStatus(later, inside)).toMatchObject({ is: 'next' });
    expect(occurrencesOf(later)).toEqual(occurrencesOf(RECURRING));
    expect(endingOf({ ...RECURRING, until: '2026-12-01T00:00:00.000Z' }, inside)).toBe('delete');
  });
});

describe('form of a maintenance window', () => {
  const specs = fieldsOf(windowSchema(['service'], 'Europe/Berlin'));

  it('defaults to a window that occurs once', () => {
    expect(draftOf(specs, undefined).occurrence).toBe('once');
  });

  it('sends unchanged values', () => {
    const wide = { ...ONCE, scope: { blueprint_slug: 'service', include_dependents: true } };
    for (const window of [ONCE, RECURRING, wide]) {
      const record = windowFormValues(window);
      const body = WindowPatch.parse(requestOf(bodyOf(specs, draftOf(specs, record), record)));
      expect(body).toMatchObject({ name: window.name, scope: window.scope });
      if (window.cron) expect(body).toMatchObject({ cron: window.cron, duration_seconds: 7200, every_weeks: 2 });
      else expect(body).toMatchObject({ starts_at: at(window.starts_at!), ends_at: at(window.ends_at!) });
    }
  });

  it('sends only properties of its kind, and all checks by default', () => {
    const draft = { ...draftOf(specs, undefined), name: 'Move', starts_at: ONCE.starts_at!, cron: '0 * * * *' };
    expect(requestOf(bodyOf(specs, draft))).toEqual({
      name: 'Move',
      note: '',
      public_title: '',
      starts_at: ONCE.starts_at,
      scope: { all: true },
      exclude_from_uptime: true,
    });
    const recurring = { ...draft, occurrence: 'recurring', duration_seconds: '5400' };
    expect(NewWindow.parse(requestOf(bodyOf(specs, recurring)))).toMatchObject({
      ...{ cron: '0 * * * *', duration_seconds: 5400, time_zone: 'Europe/Berlin', every_weeks: 1 },
    });
    expect(requestOf({ ...bodyOf(specs, recurring), cron: undefined })).toHaveProperty('cron');
  });

  it('shows the fields of the chosen kind, which is fixed for existing windows', () => {
    expect(isShown('cron', 'once', false)).toBe(false);
    expect(isShown('ends_at', 'recurring', false)).toBe(false);
    expect(isShown('occurrence', 'once', true)).toBe(false);
  });
});

describe('calendar', () => {
  it('has whole weeks from Monday, including days of adjacent months', () => {
    const weeks = weeksOf('2026-12', 'utc');
    expect(weeks.map(([monday]) => monday!.number)).toEqual([30, 7, 14, 21, 28]);
    expect(weeks[0]!.map(({ isIn }) => isIn)).toEqual([false, true, true, true, true, true, true]);
    expect(weeks[0]![0]!.from).toBe(at('2026-11-30T00:00:00Z'));
    expect(monthAt(at('2026-12-31T23:59:59Z'), 'utc')).toBe('2026-12');
    expect([monthsLater('2026-12', 1), monthsLater('2026-01', -1)]).toEqual(['2027-01', '2025-12']);
  });

  it('shows a bar per occurrence, continued in the next week', () => {
    const [first, second] = weeksOf('2026-12', 'utc');
    const move = { of: 'move', from: at('2026-12-05T22:00:00Z'), to: at('2026-12-07T04:00:00Z') };
    const patch = { of: 'patch', from: at('2026-12-05T23:00:00Z'), to: at('2026-12-06T00:00:00Z') };
    expect(barsOf(first!, [patch, move])).toMatchObject([
      { of: 'move', column: 5, columns: 2, lane: 0, isContinued: false },
      { of: 'patch', column: 5, columns: 1, lane: 1 },
    ]);
    expect(barsOf(second!, [patch, move])).toMatchObject([{ of: 'move', column: 0, columns: 1, isContinued: true }]);
  });

  it('merges several occurrences of a day into one bar', () => {
    const [week] = weeksOf('2026-12', 'utc');
    const hourly = [1, 2, 3].map((hour) => {
      const from = at('2026-12-01T00:00:00Z') + hour * HOUR;
      return { of: 'hourly', from, to: from + HOUR / 2 };
    });
    expect(barsOf(week!, hourly)).toMatchObject([
      { column: 1, columns: 1, times: 3, from: hourly[0]!.from, to: hourly[2]!.to },
    ]);
  });
});
