import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  countChange,
  flappingFigures,
  isFlapping,
  withFlappingNotified,
  withoutFlapping,
} from '#lib/alerting/decide/notified-state.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';

const START = Date.UTC(2026, 10, 22);
const MINUTE = 60_000;
const policy = { flap_threshold: 4, flap_window_seconds: 3600 };

/** Returns the alerting data after changes at these minutes. */
const changedAt = (...minutes: number[]): CheckItem['alerts'] =>
  minutes.reduce((alerts, at) => countChange(alerts, policy, START + at * MINUTE), {} as CheckItem['alerts']);

describe('countChange', () => {
  it('starts flapping with the change that completes the threshold within the window', () => {
    expect(changedAt(0, 10, 20)).not.toHaveProperty('flapping');
    expect(changedAt(0, 10, 20, 30)).toMatchObject({
      flapping: { since: START + 30 * MINUTE, until: START + 45 * MINUTE },
    });
    expect(changedAt(0, 25, 50, 60)).not.toHaveProperty('flapping');
    expect(changedAt(0, 25, 50, 60, 70)).toHaveProperty('flapping');
  });

  it('extends flapping until one state has lasted a quarter of the window', () => {
    const alerts = changedAt(0, 10, 20, 30, 40);
    expect(alerts.flapping).toEqual({ since: START + 30 * MINUTE, until: START + 55 * MINUTE });
    expect(isFlapping(alerts, START + 55 * MINUTE - 1)).toBe(true);
    expect(isFlapping(alerts, START + 55 * MINUTE)).toBe(false);
  });

  it('restarts the count after a calm time', () => {
    expect(changedAt(0, 10, 20, 30, 45)).toEqual({ changed_at: [START + 45 * MINUTE] });
    expect(withoutFlapping(changedAt(0, 10, 20, 30))).toEqual({});
    expect(withoutFlapping(changedAt(0, 10))).toEqual(changedAt(0, 10));
  });

  it('counts the changes for the alert, and keeps the flapping notified', () => {
    const alerts = changedAt(0, 10, 20, 41);
    expect(flappingFigures(alerts, policy, START + 41 * MINUTE)).toEqual({
      changes: 4,
      within_ms: 41 * MINUTE,
      calm_ms: 15 * MINUTE,
    });
    const notified = { ...alerts, ...withFlappingNotified(alerts) };
    expect(countChange(notified, policy, START + 50 * MINUTE).flapping).toMatchObject({ notified: true });
  });

  it('counts nothing when the policy disables it', () => {
    expect(countChange(changedAt(0, 10, 20, 30), { ...policy, flap_threshold: 0 }, START + 31 * MINUTE)).toEqual({});
  });

  it('ignores changes in the future from a fast clock', () => {
    const ahead = changedAt(600, 610, 620, 630);
    expect(isFlapping(ahead, START)).toBe(false);
    expect(countChange(ahead, policy, START)).toEqual({ changed_at: [START] });
  });
});

it('flaps if and only if the changes since the last calm time reach the threshold', () => {
  const waits = fc.array(fc.constantFrom(1, 5, 10, 14, 15, 20, 40, 70), { maxLength: 30 });
  fc.assert(
    fc.property(waits, (list) => {
      let alerts: CheckItem['alerts'] = {};
      let at = START;
      let [counted, flaps]: [number[], boolean] = [[], false];
      for (const wait of list) {
        at += wait * MINUTE;
        if (flaps && wait >= 15) [counted, flaps] = [[], false];
        counted.push(at);
        flaps ||= counted.filter((one) => one > at - 60 * MINUTE).length >= 4;
        alerts = countChange(alerts, policy, at);
        expect(alerts.flapping !== undefined).toBe(flaps);
        expect(alerts.changed_at!.length).toBeLessThanOrEqual(4);
      }
    }),
  );
});
