import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { latestMissed, silenceDue } from '#lib/health/recording/detect-silence.ts';

const MINUTE = 60_000;
const at = (minutes: number) => Date.UTC(2026, 10, 20) + minutes * MINUTE;
const NOW = at(60);

/** Pushed every 10 minutes, with a grace of 5; its newest push came at minute 40, and the settings are older. */
const silence = (more: { settings?: number; failed?: number; pushed?: number; watched?: number; now?: number }) =>
  silenceDue(
    {
      interval_seconds: 600,
      config: { grace_seconds: 300 },
      settings_at: at(more.settings ?? 0),
      ...(more.failed !== undefined && { silence_at: at(more.failed) }),
    },
    { at: at(more.pushed ?? 40), received_at: at(more.pushed ?? 40) },
    at(more.watched ?? 0),
    more.now ?? NOW,
  );

describe('the next synthetic failure of a push check', () => {
  it.each([
    ['comes a grace after the newest push', {}, { since: 40, at: 45 }],
    ['comes an interval after the failure before it', { failed: 45 }, { since: 40, at: 55 }],
    ['counts from a push that ended the silence before', { failed: 38 }, { since: 40, at: 45 }],
    ['counts from a later change of settings', { settings: 42 }, { since: 42, at: 47 }],
    ['counts from the end of our last outage', { watched: 50 }, { since: 50, at: 55 }],
    ['begins anew when we were out during the silence', { failed: 48, watched: 50 }, { since: 50, at: 55 }],
  ])('%s', (_rule, given, due) => {
    expect(silence(given)).toEqual({ since: at(due.since), at: at(due.at) });
  });

  it('is never due before a first push', () => {
    const check = { interval_seconds: 600, config: {}, settings_at: at(0) };
    expect(silenceDue(check, undefined, at(0), NOW)).toBeUndefined();
  });

  it('has twice the interval as its grace unless the check says otherwise', () => {
    const check = { interval_seconds: 600, config: {}, settings_at: at(0) };
    expect(silenceDue(check, { at: at(40), received_at: at(40) }, at(0), NOW)?.at).toBe(at(60));
  });
});

it('stands for the newest missed deadline, an interval or less before now', () => {
  fc.assert(
    fc.property(
      fc.nat(10_000_000),
      fc.integer({ min: 1, max: 100_000 }),
      fc.nat(10_000_000),
      (first, interval, late) => {
        const newest = latestMissed(first, interval, first + late);
        expect((newest - first) % interval).toBe(0);
        expect(newest).toBeLessThanOrEqual(first + late);
        expect(newest).toBeGreaterThan(first + late - interval);
      },
    ),
  );
});
