import { expect, it } from 'vitest';
import { decideLateAlert } from '#lib/alerting/deadlines/timed-decisions.ts';
import { nextLateAlertRetry, retrySeriesOf } from '#lib/alerting/decide/late-alert-retries.ts';
import { mergeDeadline } from '#lib/alerting/decide/notes.ts';
import { dueAlert } from '#test/unit/alerting/deadlines/due-alert-deadline.ts';

it('retries a failed alert after 1, 5 and 15 minutes', () => {
  const deadlines: number[] = [];
  let retry = nextLateAlertRetry({ failed_at: 0, tries: 0 }, 0);
  while (retry) {
    deadlines.push(retry.deadline);
    retry = nextLateAlertRetry(retrySeriesOf(retry)!, retry.deadline + 3000);
  }
  expect(deadlines).toEqual([60_000, 300_000, 900_000]);
});

it('waits at least a minute after a failed retry', () => {
  expect(nextLateAlertRetry({ failed_at: 0, tries: 1 }, 3_600_000)).toEqual({
    deadline: 3_660_000,
    note: { failed_at: 0, tries: 1 },
  });
});

it('alerts within the cooldown when an alert fails after a retry of an earlier series was sent', () => {
  // A retry reported down. The recovery alert, planned at 265 s, failed on all channels at 268 s.
  const entry = mergeDeadline(undefined, nextLateAlertRetry({ failed_at: 268_000, tries: 0 }, 268_000)!);
  expect(entry.deadline).toBe(328_000);
  const given = dueAlert({ state: 'up', announced: 'down', planned: 265_000, policy: { cooldown_seconds: 200 } });
  expect(decideLateAlert({ ...given, entry, now: 328_000 })).toMatchObject({
    alert: { reports_state: 'up' },
  });
});
