import { describe, expect, it } from 'vitest';
import { compareWithPeers, drawCases, findCalendars, type Kind } from '#test/calendar/peers.ts';

/** Number of cases per kind; `npm run test:nightly -- calendar` tests twenty thousand. */
const CASES = 300;
const python = findCalendars();

describe.skipIf(!python)('compared with cronsim and oncalendar, the calendars of Healthchecks', () => {
  it.each(['cron', 'OnCalendar'] satisfies Kind[])(
    'has the same due times for %s except for known differences, also near changes of clocks',
    async (kind) => {
      const { same, strange } = await compareWithPeers(python!, drawCases(kind, CASES, 7));
      expect(strange).toEqual([]);
      expect(same).toBeGreaterThan(0.9 * CASES);
    },
  );
});
