import { describe, expect, it } from 'vitest';
import type { EntityHistory } from '#console/api/records.ts';
import { parseCsv } from '#console/rules/csv.ts';
import { monthStart, reportCsv } from '#console/rules/report.ts';

const seconds = { up: 0, degraded: 0, down: 0, unknown: 0, gap: 0, maintenance: 0, not_monitored: 0 };
const bucket = (from: string, more: object): EntityHistory['buckets'][number] => ({
  ...{
    from,
    to: from,
    complete: true,
    revised_at: null,
    known_since: from,
    runs: 1,
    failures: 0,
    warnings: 0,
    gaps: 0,
  },
  ...{ success_ratio: 1, uptime: 1, coverage: 1, seconds, down_in_maintenance_seconds: 0, mean_latency_ms: null },
  ...more,
});

describe('the uptime report', () => {
  it('has a line per entity and month, with empty figures for a month without data', () => {
    const shop = { id: 'ent_a', name: '=SUM(A1), "shop"', blueprint_slug: 'service', slug: 'shop' };
    const csv = reportCsv(
      [shop],
      [
        {
          entity_id: 'ent_a',
          buckets: [
            bucket('2026-10-01T00:00:00.000Z', { uptime: null, coverage: null, known_since: null }),
            bucket('2026-11-01T00:00:00.000Z', { uptime: 0.999791, seconds: { ...seconds, down: 540 } }),
          ],
        },
      ],
    );
    const [head, october, november] = parseCsv(csv).map(({ cells }) => cells);
    expect(head!.slice(0, 8)).toEqual('entity blueprint slug month complete known_since uptime coverage'.split(' '));
    expect(october!.slice(0, 8)).toEqual([`'=SUM(A1), "shop"`, 'service', 'shop', '2026-10', 'true', '', '', '']);
    expect(november!.slice(6, 9)).toEqual(['0.999791', '1', '540']);
  });

  it('starts with the first day of a month', () => {
    expect(monthStart(Date.parse('2026-02-28T23:00:00Z'), 2)).toBe('2025-12-01T00:00:00.000Z');
  });
});
