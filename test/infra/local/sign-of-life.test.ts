import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type Outage, outageBefore, writeLiveness } from '#infra/local/liveness.ts';
import { memoryLog } from '#test/support/log.ts';

const dir = mkdtempSync(join(tmpdir(), 'fleetwatch-life-'));
const file = join(dir, 'alive');
const START = Date.parse('2026-11-21T05:16:00.000Z');
const noted = () => Math.round(statSync(file).mtimeMs);

afterEach(() => {
  vi.useRealTimers();
  rmSync(file, { force: true });
});

describe('the sign of life', () => {
  it('knows of no outage on a first start', () => {
    expect(outageBefore(file, START, undefined)).toBeUndefined();
    expect(existsSync(file)).toBe(true);
  });

  it('gives the time since the last sign on a later start', () => {
    outageBefore(file, START, undefined);
    expect(outageBefore(file, START + 90_500, undefined)).toEqual({ from: START, to: START + 90_500 });
  });

  it('gives all of that time once more when a start died before it was noted', () => {
    outageBefore(file, START, undefined);
    outageBefore(file, START + 90_500, undefined);
    expect(outageBefore(file, START + 95_000, undefined)).toEqual({ from: START, to: START + 95_000 });
  });

  it('makes no outage of a clock that was set back', () => {
    outageBefore(file, START, undefined);
    expect(outageBefore(file, START - 1000, undefined)).toBeUndefined();
  });

  it('is the last tick where a store came without the file, also after a start that died', () => {
    const outage = { from: START, to: START + 600_000 };
    expect(outageBefore(file, START + 600_000, START)).toEqual(outage);
    expect(outageBefore(file, START + 600_000, START)).toEqual(outage);
  });

  it('is the last tick where the file tells of its copying, or belongs to an older store', () => {
    for (const noted of [START + 500_000, START - 1]) {
      outageBefore(file, noted, undefined);
      expect(outageBefore(file, START + 600_000, START)).toEqual({ from: START, to: START + 600_000 });
      rmSync(file);
    }
  });

  it('is that of the file as long as it fits the last tick', () => {
    outageBefore(file, START + 58_000, undefined);
    expect(outageBefore(file, START + 90_000, START)).toEqual({ from: START + 58_000, to: START + 90_000 });
  });

  it('is given at once, every two seconds, and a last time at the end', async () => {
    vi.useFakeTimers({ now: START, toFake: ['setInterval', 'clearInterval', 'Date'] });
    outageBefore(file, START, undefined);
    vi.setSystemTime(START + 500);
    const life = writeLiveness(file, memoryLog(), async () => {});
    expect(noted()).toBe(START + 500);
    vi.setSystemTime(START);
    await vi.advanceTimersByTimeAsync(4100);
    expect(noted()).toBe(START + 4000);
    life.stop();
    expect(noted()).toBe(START + 4100);
  });

  it('tells of a time in which the process was not run', async () => {
    vi.useFakeTimers({ now: START, toFake: ['setInterval', 'clearInterval', 'Date'] });
    outageBefore(file, START, undefined);
    const pauses: Outage[] = [];
    const life = writeLiveness(file, memoryLog(), async (pause) => void pauses.push(pause));
    await vi.advanceTimersByTimeAsync(2000);
    vi.setSystemTime(START + 62_000);
    await vi.advanceTimersByTimeAsync(2000);
    life.stop();
    expect(pauses).toEqual([{ from: START + 2000, to: START + 64_000 }]);
  });

  it('has whoever takes work after a pause wait until that is noted', async () => {
    vi.useFakeTimers({ now: START, toFake: ['setInterval', 'clearInterval', 'Date'] });
    outageBefore(file, START, undefined);
    const { promise, resolve } = Promise.withResolvers<void>();
    const life = writeLiveness(file, memoryLog(), () => promise);
    expect(life.afterPause()).toBeUndefined();
    vi.setSystemTime(START + 62_000);
    const pause = life.afterPause();
    expect(pause).toBeInstanceOf(Promise);
    expect(life.afterPause()).toBe(pause);
    resolve();
    await pause;
    expect(life.afterPause()).toBeUndefined();
    life.stop();
  });

  it('gives no sign before a pause is noted, and tries again, so that a crash leaves it to the next start', async () => {
    vi.useFakeTimers({ now: START, toFake: ['setInterval', 'clearInterval', 'Date'] });
    outageBefore(file, START, undefined);
    let isFull = true;
    const pauses: Outage[] = [];
    const life = writeLiveness(file, memoryLog(), async (pause) => {
      if (isFull) throw new Error('The disk is full.');
      pauses.push(pause);
    });
    vi.setSystemTime(START + 62_000);
    await expect(life.afterPause()).rejects.toThrow('full');
    await vi.advanceTimersByTimeAsync(2000);
    expect(noted()).toBe(START);
    isFull = false;
    await vi.advanceTimersByTimeAsync(2000);
    expect(pauses).toEqual([{ from: START, to: START + 66_000 }]);
    expect(noted()).toBe(START + 66_000);
    life.stop();
  });
});
