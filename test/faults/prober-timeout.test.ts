import { describe, expect, it } from 'vitest';
import { create } from '#functions/prober.ts';
import { cellOf, RESULTS, under } from '#lib/keys.ts';
import type { Net } from '#lib/net/net.ts';
import { intervalScheduleOf, latestSlot } from '#lib/schedule/slots.ts';
import { healthWorld } from '#test/support/health-world.ts';
import { queueRecord } from '#test/support/queue-record.ts';

/** Runs one job in a prober that can time out while the target responds. */
async function probed(isOver: boolean) {
  const { ports, keys, check: newCheck } = await healthWorld();
  const check = await newCheck({ interval_seconds: 60 });
  const controller = new AbortController();
  const http: Net['http'] = async () => {
    if (isOver) controller.abort(new Error('The function timed out.'));
    return { status: 200, headers: {}, body: '', latency_ms: 20 };
  };
  const { tenant_id, id } = check;
  const cell = cellOf(id);
  const slot = latestSlot(intervalScheduleOf(cell, 60), ports.clock.now());
  const record = queueRecord('m1', { jobs: [{ tenant_id, cell, interval_seconds: 60, slot, only: [id] }] });
  const prober = create({ ...ports, net: { ...ports.net, http } });
  const { batchItemFailures } = await prober({ Records: [record] }, { signal: controller.signal });
  const { items } = await ports.table.query({ partition: keys.ofCheck(tenant_id, id), ...under(RESULTS) });
  return { given_back: batchItemFailures.length, results: items.length };
}

describe('a prober that times out', () => {
  it('records nothing more and returns its jobs, although it could still respond', async () => {
    expect(await probed(true)).toEqual({ given_back: 1, results: 0 });
  });

  it('records and keeps its jobs while it has time', async () => {
    expect(await probed(false)).toEqual({ given_back: 0, results: 1 });
  });
});
