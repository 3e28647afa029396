import { describe, expect, it } from 'vitest';
import { rotaCalendar } from '#lib/alerting/configure/rota-calendar.ts';
import { onCallAt, type RotaPlan, shiftsWithin } from '#lib/alerting/policy/rotas.ts';
import { DAY_MS } from '#lib/platform/time.ts';
import { wallClock } from '#lib/schedule/calendar/calendar.ts';

const member = (name: string) => ({ name, channel_ids: [`ach_${name}`] });
const plan = (more: Partial<RotaPlan> = {}): RotaPlan => ({
  members: ['ada', 'grace', 'joan'].map(member),
  handover: { every: 'day', at: '09:00' },
  time_zone: 'Europe/Berlin',
  starts_on: '2026-03-25',
  overrides: [],
  ...more,
});
const at = (text: string) => Date.parse(text);
const year = (rota: RotaPlan) => shiftsWithin(rota, at('2026-03-26T00:00:00Z'), at('2027-03-26T00:00:00Z'));

describe('shifts of a rota', () => {
  it.each(['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'UTC'])(
    'cover a year of %s in the order of the members, without gaps, at the local time of the hand-over',
    (time_zone) => {
      for (const every of ['day', 'week'] as const) {
        const shifts = year(plan({ time_zone, handover: { every, at: '09:00' } }));
        expect(shifts.length).toBeGreaterThan(50);
        for (const [i, one] of shifts.entries()) {
          expect(wallClock(time_zone, one.from).slice(11)).toBe('09:00:00');
          const before = shifts[i - 1];
          if (!before) continue;
          expect(one.from).toBe(before.to);
          expect([before.member, one.member]).toSatisfy(([a, b]) =>
            ['ada grace', 'grace joan', 'joan ada'].includes(`${a} ${b}`),
          );
        }
      }
    },
  );

  it('begin at the clock change if it skips the hand-over, and at the first of two equal times', () => {
    const starts = (rota: RotaPlan) => year(rota).map(({ from }) => new Date(from).toISOString());
    const berlin = starts(plan({ handover: { every: 'day', at: '02:30' } }));
    expect(berlin).toEqual(
      expect.arrayContaining(['2026-03-28T01:30:00.000Z', '2026-03-29T01:00:00.000Z', '2026-03-30T00:30:00.000Z']),
    );
    expect(berlin).toContain('2026-10-25T00:30:00.000Z');
    expect(berlin).not.toContain('2026-10-25T01:30:00.000Z');
    const zone = { time_zone: 'America/New_York', starts_on: '2026-03-01' };
    const york = starts(plan({ ...zone, handover: { every: 'day', at: '01:30' } }));
    expect(york).toContain('2026-11-01T05:30:00.000Z');
    expect(york).not.toContain('2026-11-01T06:30:00.000Z');
  });

  it('are cut by overrides, also across a hand-over', () => {
    const overrides = [
      { starts_at: at('2026-04-01T10:00:00Z'), ends_at: at('2026-04-02T10:00:00Z'), member: 'joan' },
      { starts_at: at('2026-04-02T10:00:00Z'), ends_at: at('2026-04-02T11:00:00Z'), member: 'ada' },
    ];
    const shifts = shiftsWithin(plan({ overrides }), at('2026-04-01T08:00:00Z'), at('2026-04-02T12:00:00Z'));
    expect(
      shifts.map(({ from, member, override }) => [new Date(from).toISOString().slice(5, 13), member, override]),
    ).toEqual([
      ['04-01T07', 'grace', false],
      ['04-01T10', 'joan', true],
      ['04-02T07', 'joan', true],
      ['04-02T10', 'ada', true],
      ['04-02T11', 'joan', false],
    ]);
  });

  it('agree with the member on call at each time', () => {
    const overrides = [{ starts_at: at('2026-10-24T12:00:00Z'), ends_at: at('2026-10-25T12:00:00Z'), member: 'ada' }];
    const rota = plan({ overrides, handover: { every: 'day', at: '02:30' } });
    const shifts = shiftsWithin(rota, at('2026-10-20T00:00:00Z'), at('2026-10-30T00:00:00Z'));
    for (let now = at('2026-10-20T00:00:00Z'); now < at('2026-10-29T00:00:00Z'); now += 17 * 60_000) {
      const index = shifts.findIndex(({ from, to }) => from <= now && now < to);
      expect(onCallAt(rota, now)).toEqual({ current: shifts[index], next: shifts[index + 1] });
    }
  });

  it('belong to the first member before the first hand-over, except in an override', () => {
    const first = at('2026-03-25T08:00:00Z');
    expect(onCallAt(plan(), first).current).toMatchObject({ from: first, to: first + DAY_MS, member: 'ada' });
    for (const early of [first - 1, first - DAY_MS, first - 400 * DAY_MS, at('0001-01-01T00:00:00Z')])
      expect(onCallAt(plan(), early).current).toMatchObject({ member: 'ada', override: false });
    expect(onCallAt(plan(), first - 1)).toMatchObject({ current: { to: first }, next: { from: first, member: 'ada' } });
    const overrides = [{ starts_at: first - 60_000, ends_at: first - 1, member: 'joan' }];
    expect(onCallAt(plan({ overrides }), first - 30_000).current).toMatchObject({ member: 'joan', override: true });
  });
});

describe('the calendar of a rota', () => {
  it('keeps the local time of the hand-over across a clock change', () => {
    const item = {
      ...plan({ handover: { every: 'week', at: '09:00' }, starts_on: '2026-03-02' }),
      pk: '',
      sk: '',
      v: '',
    };
    const more = {
      id: 'rot_1',
      name: 'Ops',
      calendar_secret: '',
      created_at: '',
      updated_at: '2026-03-01T10:00:00.000Z',
    };
    const calendar = rotaCalendar({ ...item, ...more }, at('2026-03-25T00:00:00Z'));
    const starts = [...calendar.matchAll(/^DTSTART:(.*)\r$/gm)].map(([, start]) => start);
    expect(starts).toHaveLength(17);
    expect(starts.slice(0, 6)).toEqual([
      ...['20260223T080000Z', '20260302T080000Z', '20260309T080000Z'],
      ...['20260316T080000Z', '20260323T080000Z', '20260330T070000Z'],
    ]);
    expect(calendar).toContain('DTSTAMP:20260301T100000Z\r\n');
  });
});
