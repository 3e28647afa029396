import { describe, expect, it, vi } from 'vitest';
import { watchDisk } from '#infra/local/disk-watch.ts';
import { readHealth } from '#lib/history/status/service-health.ts';
import { healthWorld } from '#test/support/health-world.ts';

const LOW = 'disk space low, writes fail when it is full';

describe('the disk of one machine', () => {
  it('makes the service unhealthy while less than 10 % is free, with a log line once an hour', async () => {
    const world = await healthWorld();
    let space = { bavail: 100, blocks: 1000, bsize: 4_000_000 };
    const lines: { message: string; fields: object }[] = [];
    const log = { ...world.ports.log, error: (message: string, fields = {}) => void lines.push({ message, fields }) };
    const { update, stop } = await watchDisk({ ...world, ports: { ...world.ports, log } }, '/data', async () => space);
    stop();
    const disk = async () => (await readHealth(world)).disk;
    expect(await disk()).toEqual({ ok: true, free_percent: 10 });
    expect(lines).toEqual([]);

    space = { ...space, bavail: 99 };
    await update();
    await update();
    expect(await disk()).toEqual({ ok: false, free_percent: 9.9 });
    expect((await readHealth(world)).reasons).toContain(
      '9.9 % of the disk is free; writes fail when it is full. Free some space.',
    );
    expect(lines).toEqual([{ message: LOW, fields: { dir: '/data', free_percent: 9.9, free_mb: 396 } }]);
    world.advance(3_600_000);
    await update();
    expect(lines).toHaveLength(2);

    space = { ...space, bavail: 500 };
    await update();
    expect(await disk()).toEqual({ ok: true, free_percent: 50 });
    expect(lines).toHaveLength(2);
  });

  it('is measured again every 30 seconds until the service stops', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const world = await healthWorld();
    let measured = 0;
    const { stop } = await watchDisk(world, '/data', async () => {
      measured++;
      return { bavail: 500, blocks: 1000, bsize: 4096 };
    });
    expect(measured).toBe(1);
    vi.advanceTimersByTime(90_000);
    expect(measured).toBe(4);
    stop();
    vi.advanceTimersByTime(90_000);
    expect(measured).toBe(4);
    vi.useRealTimers();
  });

  it('is unknown on AWS, and healthy', async () => {
    expect((await readHealth(await healthWorld())).disk).toEqual({ ok: true, free_percent: null });
  });
});
