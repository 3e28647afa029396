import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { historyExpiry, historyStart, resultExpiry, retentionStart } from '#lib/access/retention.ts';

const DAY = 86_400_000;
const at = fc.integer({ min: Date.UTC(2020), max: Date.UTC(2040) });
const days = fc.integer({ min: 1, max: 3650 });

describe('retention', () => {
  it('deletes an item within an hour after it is no longer shown', () => {
    fc.assert(
      fc.property(at, days, (made, kept) => {
        const expires = resultExpiry(made, kept) * 1000;
        expect(expires).toBeGreaterThanOrEqual(made + kept * DAY);
        expect(expires).toBeLessThan(made + kept * DAY + 3_600_000);
        expect(expires % 3_600_000).toBe(0);
        expect(retentionStart(made + kept * DAY, kept)).toBe(made);
      }),
    );
  });

  it('is at least 90 days for transitions and deliveries', () => {
    fc.assert(
      fc.property(at, days, (made, kept) => {
        expect(historyExpiry(made, kept)).toBe(resultExpiry(made, Math.max(kept, 90)));
        expect(historyStart(made, kept)).toBe(retentionStart(made, Math.max(kept, 90)));
      }),
    );
  });
});
