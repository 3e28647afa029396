import { describe, expect, it } from 'vitest';
import { create } from '#functions/prober.ts';
import { cellOf, RESULTS, under } from '#lib/keys.ts';
import type { Net } from '#lib/net/net.ts';
import { intervalScheduleOf, latestSlot } from '#lib/schedule/slots.ts';
import { healthWorld } from '#test/support/health-world.ts';
import { queueRecord } from '#test/support/queue-record.ts';

/** Runs one job in a prober. @param timesOut whether the prober times out while the target responds */
async function probed(timesOut: boolean) {
  const { ports, keys, check: newCheck } = await healthWorld();
  const check = await newCheck({ interval_seconds: 60 });
  const controller = new AbortController();
  const http: Net['http'] = async () => {
    if (timesOut) controller.abort(new Error('The function timed out.'));
    return { status: 200, headers: {}, body: '', latency_ms: 20 };
  };
  const { tenant_id, id } = check;
  const cell = cellOf(id);
  const slot = latestSlot(intervalScheduleOf(cell, 60), ports.clock.now());
  const record = queueRecord('m1', { jobs: [{ tenant_id, cell, interval_seconds: 60, slot, only: [id] }] });
  const prober = create({ ...ports, net: { ...ports.net, http } });
  const { batchItemFailures } = await prober({ Records: [record] }, { signal: controller.signal });
  const { items } = await ports.table.query({ partition: keys.ofCheck(tenant_id, id), ...under(RESULTS) });
  return { returned: batchItemFailures.length, results: items.length };
}

describe('a prober with a time limit', () => {
  it('records nothing and returns its job to the queue when it times out before the response', async () => {
    expect(await probed(true)).toEqual({ returned: 1, results: 0 });
  });

  it('records the result and completes its job while it has time', async () => {
    expect(await probed(false)).toEqual({ returned: 0, results: 1 });
  });
});
