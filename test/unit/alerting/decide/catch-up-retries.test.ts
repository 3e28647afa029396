import { expect, it } from 'vitest';
import { decideCatchUp } from '#lib/alerting/deadlines/timed-decisions.ts';
import { nextCatchUpRetry, retrySeriesOf } from '#lib/alerting/decide/catch-up-retries.ts';
import { mergeDeadline } from '#lib/alerting/decide/notes.ts';
import { situation } from '#test/unit/alerting/deadlines/situation.ts';

it('a failed alert is tried again after 1, 5 and 15 minutes, and no more', () => {
  const tries: number[] = [];
  let look = nextCatchUpRetry({ failed_at: 0, tries: 0 }, 0);
  while (look) {
    tries.push(look.deadline);
    look = nextCatchUpRetry(retrySeriesOf(look)!, look.deadline + 3000);
  }
  expect(tries).toEqual([60_000, 300_000, 900_000]);
});

it('a try that failed only after an hour is followed by the next one a minute later', () => {
  expect(nextCatchUpRetry({ failed_at: 0, tries: 1 }, 3_600_000)).toEqual({
    deadline: 3_660_000,
    note: { failed_at: 0, tries: 1 },
  });
});

it('an alert that fails after a try of an earlier series was sent is made good within the cooldown', () => {
  // C1 told down; U1, planned at 265 s, failed on all channels at 268 s.
  const entry = mergeDeadline(undefined, nextCatchUpRetry({ failed_at: 268_000, tries: 0 }, 268_000)!);
  expect(entry.deadline).toBe(328_000);
  const given = situation({ state: 'up', announced: 'down', planned: 265_000, policy: { cooldown_seconds: 200 } });
  expect(decideCatchUp({ ...given, entry, now: 328_000 })).toMatchObject({
    alert: { reports_state: 'up' },
  });
});
