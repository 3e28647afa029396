import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  recentFailures,
  unreportedFailures,
  withFailure,
  withFailureOver,
  withNotifiedAlerts,
  withoutNotifiedAlerts,
  withSuppressedFailure,
} from '#lib/alerting/decide/notified-state.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';

const DAY = 86_400_000;
const afterFailures = (times: number[]): CheckItem['alerts'] => times.reduce(withFailure, {});

it('counts the failures of a day, the last one included', () => {
  const noon = Date.parse('2026-11-21T12:00:00Z');
  const alerts = afterFailures([noon - 2 * DAY, noon - DAY, noon - DAY + 1, noon - 5000, noon]);
  expect(recentFailures(alerts, noon)).toEqual({ failures: 3, within_ms: DAY });
  expect(recentFailures(alerts, noon - 1).failures).toBe(2);
  expect(recentFailures({}, noon).failures).toBe(0);
});

it('keeps at most 20 failures, all less than a day before the last', () => {
  const gaps = fc.array(fc.integer({ min: 1, max: DAY / 4 }), { minLength: 1, maxLength: 60 });
  fc.assert(
    fc.property(gaps, (between) => {
      const times = between.map((_gap, i) => between.slice(0, i + 1).reduce((sum, one) => sum + one, DAY));
      const last = times.at(-1)!;
      const { failed_at } = afterFailures(times);
      expect(failed_at).toEqual(times.filter((one) => one > last - DAY).slice(-20));
    }),
  );
});

it('still reports a failure that the cooldown suppressed, after a later recovery that needs no alert', () => {
  const up = { id: 'alr_1', reports_state: 'up' as const };
  const reported = withNotifiedAlerts(withFailureOver(withFailure({}, 1000), 2000), [up]);
  const suppressed = withFailureOver(withSuppressedFailure(withFailure(reported, 3000)), 4000);
  const recovered = withFailureOver(withFailure(suppressed, 5000), 6000);
  const expected = { count: 1, from: '1970-01-01T00:00:03.000Z', to: '1970-01-01T00:00:04.000Z' };
  expect(unreportedFailures(withoutNotifiedAlerts(recovered))).toEqual(expected);
  expect(unreportedFailures(withoutNotifiedAlerts(withNotifiedAlerts(recovered, [up])))).toBeUndefined();
});
