import { expect, it } from 'vitest';
import { grant } from '#infra/local/grant.ts';
import { openTable } from '#infra/local/store/sqlite-table.ts';
import type { Ports } from '#lib/env.ts';

const key = { pk: 'A', sk: 'a' };
const sent: string[] = [];
const ports = {
  table: openTable({ file: ':memory:' }),
  queues: { send: async (queue: string) => void sent.push(queue) },
  bus: { publish: async () => void sent.push('bus') },
} as unknown as Ports;

it('permits the operations of the function in the topology', async () => {
  const notifier = grant(ports, 'notifier');
  expect(await notifier.table.transact([{ put: { ...key, v: '1' } }])).toEqual({ ok: true });
  expect(await notifier.table.transact([{ delete: key }])).toEqual({ ok: true });
  await notifier.queues.send('delivery', []);
  await notifier.bus.publish([]);
  expect(sent).toEqual(['delivery', 'bus']);
});

it('rejects other operations like its role on AWS', async () => {
  const generator = grant(ports, 'generator');
  expect(await generator.table.get(key)).toBeUndefined();
  await expect(generator.table.transact([{ delete: key }])).rejects.toThrow('generator may not delete items');
  await expect(generator.queues.send('delivery', [])).rejects.toThrow('may not send to the queue delivery');
  await expect(generator.bus.publish([])).rejects.toThrow('infra/topology.ts');
  const { table } = grant(ports, 'console');
  for (const read of [() => table.get(key), () => table.getMany([key]), () => table.query({ partition: 'A' })]) {
    expect(read).toThrow('console may not read the table');
  }
  await expect(table.putMany([{ ...key, v: '1' }])).rejects.toThrow('console may not put items');
});
