import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { WindowItem } from '#lib/checks/maintenance.ts';
import { atomFeed, maintenanceCalendar } from '#lib/public/pages/feeds.ts';
import { occurrencesOf } from '#lib/public/pages/read-maintenance.ts';
import type { Source } from '#lib/public/pages/sources.ts';
import type { IncidentView, PublishedView } from '#lib/public/pages/view.ts';
import { statusView } from '#test/support/status-view.ts';

const PYTHON = join(import.meta.dirname, '../../../.cache/feeds-python/bin/python');
const PAGE = 'https://status.example.com/status/acme';
const HOSTILE = `Tom & "Jerry's" <script>alert(1)</script>]]> ; , \\n 漢字 🚒 ${'x'.repeat(90)}`;
const NOW = Date.parse('2026-11-21T06:16:00Z');
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const iso = (at: number) => new Date(at).toISOString();

const update = (id: string, at: number, edited_at: string | null = null): IncidentView['updates'][number] => ({
  ...{ id, status: 'resolved', message: `Line one\nand ${HOSTILE}`, at: iso(at), edited_at },
});
const incident = (...updates: IncidentView['updates']): IncidentView => ({
  ...{ id: 'inc_1', title: HOSTILE, status: 'resolved', impact: 'outage', component_ids: ['cmp_1'] },
  ...{ started_at: iso(NOW - DAY_MS), resolved_at: iso(NOW), updates },
});
const withUpdates = (...updates: IncidentView['updates']): PublishedView => ({
  ...statusView({ at: NOW }),
  past: [incident(...updates)],
});

const SOURCE = {
  component: { id: 'cmp_1', name: HOSTILE },
  entity: { id: 'ent_1', labels: {} },
  measured_by: [{ id: 'chk_1', enabled: true, labels: {} }],
} as unknown as Source;
const planned = (times: WindowItem['times'], changed_ms = 0): WindowItem => ({
  ...{ pk: '', sk: '', v: '', id: 'win_1', name: 'canary', note: 'canary', times, scope: null, created_by: 'canary' },
  ...{ created_at: iso(NOW - DAY_MS), updated_at: iso(NOW - DAY_MS + changed_ms) },
});
const withWindow = (window: WindowItem): PublishedView => ({
  ...statusView({ at: NOW }),
  occurrences: occurrencesOf([window], [SOURCE], NOW),
});
const once = (from: number) => ({ starts_at: from, ends_at: from + HOUR_MS });
const linesOf = (name: string, view: PublishedView) =>
  maintenanceCalendar(view)
    .split('\r\n')
    .filter((line) => line.startsWith(`${name}:`));

describe('atomFeed', () => {
  const ids = (view: PublishedView) =>
    [...atomFeed(view, PAGE).matchAll(/<entry>\n<id>[^#]*#(.*)<\/id>/g)].map(([, id]) => id);

  it('has an entry for each update of the last 90 days, newest first, up to 50', () => {
    const updates = Array.from({ length: 60 }, (_, i) => update(`upd_${i}`, NOW - (i + 1) * DAY_MS));
    expect(ids(withUpdates(...updates))).toEqual(updates.slice(0, 50).map(({ id }) => id));
    expect(ids(withUpdates(update('upd_old', NOW - 91 * DAY_MS)))).toEqual([]);
  });

  it('lists maintenance of the next 30 days, without its internal name and note', () => {
    const view = withWindow(planned(once(NOW + DAY_MS)));
    expect(ids(view)).toEqual(['win_1']);
    expect(atomFeed(view, PAGE)).not.toContain('canary');
    expect(ids(withWindow(planned(once(NOW + 31 * DAY_MS))))).toEqual([]);
  });

  it('changes only `updated` after an edit, and does not change as time passes', () => {
    const before = withUpdates(update('upd_1', NOW - DAY_MS));
    const after = withUpdates(update('upd_1', NOW - DAY_MS, iso(NOW)));
    const later = { ...before, view: { ...before.view, as_of: iso(NOW + HOUR_MS) } };
    expect(atomFeed(later, PAGE)).toBe(atomFeed(before, PAGE));
    expect(atomFeed(after, PAGE)).not.toBe(atomFeed(before, PAGE));
    expect(atomFeed(after, PAGE).replaceAll(iso(NOW), iso(NOW - DAY_MS))).toBe(atomFeed(before, PAGE));
  });
});

describe('maintenanceCalendar', () => {
  it('keeps the UID of a moved window and raises its SEQUENCE', () => {
    const [before, after] = [once(NOW + DAY_MS), once(NOW + 2 * DAY_MS)];
    expect(linesOf('UID', withWindow(planned(before)))).toEqual(['UID:win_1@fleetwatch']);
    expect(linesOf('SEQUENCE', withWindow(planned(before)))).toEqual(['SEQUENCE:0']);
    expect(linesOf('UID', withWindow(planned(after, 1)))).toEqual(['UID:win_1@fleetwatch']);
    expect(linesOf('SEQUENCE', withWindow(planned(after, 1)))).toEqual(['SEQUENCE:1']);
  });

  it('has the occurrences of a repeated window from 90 days ago to 90 days ahead', () => {
    const weekly = { cron: '0 3 * * 0', time_zone: 'UTC', duration_ms: HOUR_MS, every_weeks: 1 };
    const found = linesOf('UID', withWindow(planned({ ...weekly, from: NOW - 365 * DAY_MS })));
    expect(new Set(found).size).toBe(found.length);
    expect([found[0], found.at(-1)]).toEqual([
      'UID:win_1-20260830T030000Z@fleetwatch',
      'UID:win_1-20270214T030000Z@fleetwatch',
    ]);
  });

  it('has lines of at most 75 octets that end with CRLF', () => {
    const lines = maintenanceCalendar(withWindow(planned(once(NOW)))).split('\r\n');
    expect(Math.max(...lines.map((line) => Buffer.byteLength(line)))).toBe(75);
    expect(lines.join('')).not.toContain('\n');
  });
});

describe.skipIf(!existsSync(PYTHON) && !process.env.CI)('feedparser and icalendar', () => {
  it('read hostile titles as they were written', () => {
    const view = {
      ...withUpdates(update('upd_1', NOW - DAY_MS)),
      occurrences: withWindow(planned(once(NOW + DAY_MS))).occurrences,
    };
    const input = JSON.stringify({ atom: atomFeed(view, PAGE), ics: maintenanceCalendar(view) });
    const script = join(import.meta.dirname, '../../support/feeds/read.py');
    const read = JSON.parse(execFileSync(PYTHON, [script], { input, encoding: 'utf8' }));
    expect(read).toMatchObject({ bozo: false, title: 'Acme status', errors: [] });
    const entry = read.entries.find(({ id }: { id: string }) => id === `${PAGE}#upd_1`);
    expect(entry).toMatchObject({ title: `Resolved: ${HOSTILE}`, link: `${PAGE}/history#upd_1` });
    expect(entry.text).toBe(`Line one\nand ${HOSTILE}`);
    expect(read.events).toEqual([
      {
        ...{ uid: 'win_1@fleetwatch', sequence: 0, from: '2026-11-22T06:16:00+00:00' },
        summary: `Scheduled maintenance: ${HOSTILE}`,
      },
    ]);
  });
});
