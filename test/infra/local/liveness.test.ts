import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type Outage, outageBefore, writeLiveness } from '#infra/local/liveness.ts';
import { memoryLog } from '#test/support/log.ts';

const dir = mkdtempSync(join(tmpdir(), 'fleetwatch-life-'));
const file = join(dir, 'alive');
const START = Date.parse('2026-11-21T05:16:00.000Z');
const fileTime = () => Math.round(statSync(file).mtimeMs);

afterEach(() => {
  vi.useRealTimers();
  rmSync(file, { force: true });
});

describe('liveness', () => {
  it('reports no outage on a first start', () => {
    expect(outageBefore(file, START, undefined)).toBeUndefined();
    expect(existsSync(file)).toBe(true);
  });

  it('reports the time since the last update on a later start', () => {
    outageBefore(file, START, undefined);
    expect(outageBefore(file, START + 90_500, undefined)).toEqual({ from: START, to: START + 90_500 });
  });

  it('reports an outage again, up to now, when the previous start died before recording it', () => {
    outageBefore(file, START, undefined);
    outageBefore(file, START + 90_500, undefined);
    expect(outageBefore(file, START + 95_000, undefined)).toEqual({ from: START, to: START + 95_000 });
  });

  it('reports no outage when the clock was set back', () => {
    outageBefore(file, START, undefined);
    expect(outageBefore(file, START - 1000, undefined)).toBeUndefined();
  });

  it('uses the last tick if the file is missing, also after a start that died', () => {
    const outage = { from: START, to: START + 600_000 };
    expect(outageBefore(file, START + 600_000, START)).toEqual(outage);
    expect(outageBefore(file, START + 600_000, START)).toEqual(outage);
  });

  it('uses the last tick if the file was copied or belongs to an older store', () => {
    for (const time of [START + 500_000, START - 1]) {
      outageBefore(file, time, undefined);
      expect(outageBefore(file, START + 600_000, START)).toEqual({ from: START, to: START + 600_000 });
      rmSync(file);
    }
  });

  it('uses the file while it matches the last tick', () => {
    outageBefore(file, START + 58_000, undefined);
    expect(outageBefore(file, START + 90_000, START)).toEqual({ from: START + 58_000, to: START + 90_000 });
  });

  it('updates the file at once, every two seconds, and at the end', async () => {
    vi.useFakeTimers({ now: START, toFake: ['setInterval', 'clearInterval', 'Date'] });
    outageBefore(file, START, undefined);
    vi.setSystemTime(START + 500);
    const life = writeLiveness(file, memoryLog(), async () => {});
    expect(fileTime()).toBe(START + 500);
    vi.setSystemTime(START);
    await vi.advanceTimersByTimeAsync(4100);
    expect(fileTime()).toBe(START + 4000);
    life.stop();
    expect(fileTime()).toBe(START + 4100);
  });

  it('reports a pause of the process', async () => {
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

  it('delays work after a pause until the outage is recorded', async () => {
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

  it('does not update the file until a pause is recorded, so that the next start reports it after a crash', async () => {
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
    expect(fileTime()).toBe(START);
    isFull = false;
    await vi.advanceTimersByTimeAsync(2000);
    expect(pauses).toEqual([{ from: START, to: START + 66_000 }]);
    expect(fileTime()).toBe(START + 66_000);
    life.stop();
  });
});
