import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hrefOf, matchPath, parseAddress, pathTo } from '#console/rules/address.ts';
import { runConcurrently } from '#console/rules/bulk-requests.ts';
import { barOf, barPaths, barSummary, shadeOf } from '#console/rules/history-bar.ts';
import { findTargets } from '#console/rules/palette.ts';
import { deniedReason } from '#console/rules/permissions.ts';
import { pollInterval } from '#console/rules/poll-interval.ts';
import { tileAt, tileGrid } from '#console/rules/tiles.ts';
import { dateTime, duration, relative, shortDuration } from '#console/rules/time.ts';
import { degradedOf, uptimeOf } from '#console/rules/uptime.ts';
import { visibleRows } from '#console/rules/visible-rows.ts';
import { count, list, percent } from '#console/rules/words.ts';

describe('address', () => {
  it('is unchanged after building and parsing a link', () => {
    const given = fc.record({
      blueprint: fc.string({ minLength: 1 }),
      slug: fc.string({ minLength: 1 }),
      q: fc.string({ minLength: 1 }),
    });
    fc.assert(
      fc.property(given, ({ blueprint, slug, q }) => {
        const pattern = '/entities/:blueprint/:slug';
        const { path, query } = parseAddress(hrefOf(pathTo(pattern, { blueprint, slug }), { q }));
        expect(matchPath(pattern, path)).toEqual({ blueprint, slug });
        expect(query.get('q')).toBe(q);
      }),
    );
  });

  it('does not match a path of another length or with an invalid escape, and defaults to /', () => {
    expect(matchPath('/checks/:id', '/checks')).toBeUndefined();
    expect(matchPath('/checks/:id', '/checks/a/b')).toBeUndefined();
    expect(matchPath('/checks/:id', '/checks/%zz')).toBeUndefined();
    expect(parseAddress('#nowhere').path).toBe('/');
    expect(parseAddress('').path).toBe('/');
  });
});

describe('visibleRows', () => {
  const lists = fc.record({
    count: fc.nat(10_000),
    offset: fc.integer({ min: -2_000, max: 500_000 }),
    view: fc.integer({ min: 1, max: 2_000 }),
  });
  it('contains every visible row and keeps the height of the list', () => {
    fc.assert(
      fc.property(lists, ({ count: n, offset, view }) => {
        const { from, to, above, below } = visibleRows(n, 40, offset, view);
        expect(above + (to - from) * 40 + below).toBe(n * 40);
        for (const y of [offset, offset + view - 1]) {
          const row = Math.floor(y / 40);
          if (row >= 0 && row < n) expect(row >= from && row < to).toBe(true);
        }
      }),
    );
  });
  it('renders only visible rows and some spare ones', () => {
    fc.assert(
      fc.property(lists, ({ count: n, offset, view }) => {
        const { from, to } = visibleRows(n, 40, offset, view);
        expect(to - from).toBeLessThanOrEqual(Math.ceil(view / 40) + 18);
      }),
    );
  });
});

describe('pollInterval', () => {
  it('is between 5 s and a minute, or Retry-After if that is longer', () => {
    const attention = fc.record({
      hidden: fc.boolean(),
      idleMs: fc.nat(10_000_000),
      failures: fc.nat(1000),
      retryAfter: fc.option(fc.nat(3600), { nil: undefined }),
    });
    fc.assert(
      fc.property(attention, (given) => {
        const requested = (given.retryAfter ?? 0) * 1000;
        const ms = pollInterval(given);
        expect(ms).toBeGreaterThanOrEqual(Math.max(5_000, requested));
        expect(ms).toBeLessThanOrEqual(Math.max(60_000, requested));
      }),
    );
  });
});

describe('times and numbers', () => {
  it('use readable units', () => {
    expect([0, -5, 999, 61_000, 3_600_000, 90_061_000].map(duration)).toEqual([
      '0 s',
      '0 s',
      '0 s',
      '1 min 1 s',
      '1 h',
      '1 d 1 h',
    ]);
    expect([0, 61_000, 90_061_000].map(shortDuration)).toEqual(['0 s', '1 min', '1 d']);
    expect([relative(0, 240_000), relative(7_200_000, 0), relative(5, 7)]).toEqual(['4 min ago', 'in 2 h', 'now']);
    expect(dateTime(Date.parse('2026-11-22T00:05:09.000Z'), 'utc')).toBe('22 Nov 2026, 00:05:09');
  });
  it('round to 100 % or 0 % only if exact', () => {
    expect([1, 0.999999, 0.99984, 0.000001, 0, null].map(percent)).toEqual([
      '100 %',
      '99.99 %',
      '99.98 %',
      '0.01 %',
      '0 %',
      '–',
    ]);
  });
  it('count and list in English', () => {
    expect([count(1, 'check'), count(1200, 'entity', 'entities')]).toEqual(['1 check', '1,200 entities']);
    expect([list([]), list(['a']), list(['a', 'b', 'c'])]).toEqual(['', 'a', 'a, b and c']);
  });
});

describe('history bar', () => {
  const bucket = (up: number | null) => ({ up, degraded: false });
  it('distinguishes states by shape', () => {
    const hours = [...[1, 0.5, 0, null].map(bucket), { up: 1, degraded: true }];
    expect(hours.map(shadeOf)).toEqual(['up', 'part', 'down', 'gap', 'degraded']);
    const tops = Object.values(barPaths(hours, 100, 20)).map((path) => path.split(/[ h]/)[1]);
    expect(new Set(tops).size).toBe(5);
  });
  it('shows degraded time that counts as up', () => {
    const none = { up: 0, degraded: 0, down: 0, unknown: 0, gap: 0, maintenance: 0, not_monitored: 0 };
    const hours = [
      { ...none, up: 3600 },
      { ...none, up: 1800, degraded: 1800 },
      { ...none, degraded: 3600 },
    ];
    const buckets = hours.map((seconds) => ({ seconds }));
    expect(barOf(buckets).map(shadeOf)).toEqual(['up', 'degraded', 'degraded']);
    expect([percent(uptimeOf(buckets)), degradedOf(buckets)]).toEqual(['100 %', '1 h 30 min degraded']);
    expect(degradedOf(buckets.slice(0, 1))).toBe('');
  });
  it('describes the bar', () => {
    expect(barSummary([1, 1, 0, null].map(bucket), 'Last 24 h')).toBe('Last 24 h: 2 up, 1 down, 1 without data');
    expect(barSummary([], 'Last 24 h')).toBe('Last 24 h: no data');
  });
});

describe('tileGrid', () => {
  it('gives each entity a tile that tileAt finds', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 10_000 }), fc.integer({ min: 50, max: 2_500 }), (n, width) => {
        const grid = tileGrid(n, width, 96);
        const last = n - 1;
        const [x, y] = [(last % grid.columns) * grid.tile + 1, Math.floor(last / grid.columns) * grid.tile + 1];
        expect(tileAt(grid, x, y)).toBe(last);
        expect(grid.columns * grid.tile).toBeLessThanOrEqual(width);
      }),
    );
  });
});

describe('runConcurrently', () => {
  it('runs up to six at a time, continues after failures, and returns them', async () => {
    let running = 0;
    let peak = 0;
    const progress: number[] = [];
    const work = async (n: number) => {
      peak = Math.max(peak, ++running);
      await Promise.resolve();
      running--;
      if (n % 7 === 3) throw new Error(`not ${n}`);
    };
    const failed = await runConcurrently([...Array(20).keys()], work, (done) => progress.push(done));
    expect(peak).toBe(6);
    expect(failed).toEqual([3, 10, 17].map((item) => ({ item, why: `not ${item}` })));
    expect(progress.at(-1)).toBe(20);
  });
});

describe('deniedReason', () => {
  const viewer = { role: 'viewer', is_read_only: false, key: null } as const;
  it('returns the message of the API', () => {
    expect(deniedReason(viewer, 'read')).toBeUndefined();
    expect(deniedReason(viewer, 'write')).toBe('This needs the member role; you are a viewer.');
    expect(deniedReason({ ...viewer, role: 'admin', is_read_only: true }, 'write')).toMatch(/^This key is read-only\./);
    const key = { id: 'key_1', label: '', scopes: ['push' as const], expires_at: null };
    expect(deniedReason({ ...viewer, role: 'admin', key }, 'write')).toBe(
      'This key has the scope push; this needs write. Create a key that has it.',
    );
  });
});

describe('findTargets', () => {
  const places = [
    { href: '#/', name: 'Fleet', kind: 'page' },
    { href: '#/alerts/silences', name: 'Silence alerts', kind: 'command', synonyms: 'mute snooze' },
    { href: '#/1', name: 'Mail relay', kind: 'service', state: 'up' as const },
    { href: '#/2', name: 'Relay of mail', kind: 'service', state: 'down' as const },
    { href: '#/3', name: 'Old relay', kind: 'service', state: 'down' as const },
  ];
  const found = (text: string) => findTargets(places, text).map(({ name }) => name);
  it('returns names that start with the text first, and down entities before up ones', () => {
    expect(found('relay')).toEqual(['Relay of mail', 'Old relay', 'Mail relay']);
    expect(found('mail SERVICE')).toEqual(['Mail relay', 'Relay of mail']);
    expect(found('nothing')).toEqual([]);
  });

  it('finds a command by its name, its kind, and its synonyms', () => {
    expect(['silence', 'snooze', 'mute alerts', 'command'].map(found)).toEqual(Array(4).fill(['Silence alerts']));
  });
});
