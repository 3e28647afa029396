import { describe, expect, it } from 'vitest';
import { grant } from '#infra/local/grant.ts';
import { openTable } from '#infra/local/store/sqlite-table.ts';
import type { Ports } from '#lib/env.ts';
import { keyTable } from '#lib/keys.ts';

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
    await expect(read()).rejects.toThrow('console may not read the table');
  }
  await expect(table.putMany([{ ...key, v: '1' }])).rejects.toThrow('console may not put items');
});

const keys = keyTable({ BUCKETS: 4, SHARDS: 4 });
const tenant = 'acc_01jd3k5q8r0000000000000000';

describe('partitions of the function for visitors', () => {
  const { table } = grant(ports, 'public');

  it.each([
    keys.session('digest'),
    keys.user(tenant, 'usr_1'),
    keys.apiKey('digest'),
    keys.pingUrl('digest'),
    keys.delivery(tenant, 'dlv_1'),
    keys.action(tenant, 'act_1'),
    keys.mailAddress(tenant, 'digest'),
  ])('do not include $pk', async (key) => {
    await expect(table.get(key)).rejects.toThrow('public may not access the partition');
  });
});

describe('partitions of ingest, which is public', () => {
  const { table } = grant(ports, 'ingest');

  it.each([
    keys.session('digest'),
    keys.sessionPointer(tenant, 'usr_1', 'ses_1'),
    keys.signInLink('digest'),
    keys.challenge('digest'),
    keys.passkey('digest'),
    keys.invitation('digest'),
    keys.invitedEmail('digest', tenant, 'usr_1'),
    keys.accountEmail('digest'),
    keys.accountPointer(tenant),
    keys.user(tenant, 'usr_1'),
    keys.apiKeyPointer(tenant, 'key_1'),
    keys.mailAddress(tenant, 'digest'),
    keys.mailConfirmation('digest'),
    keys.usedLink(tenant, 'signature'),
    keys.pingKey(tenant, 'pky_1'),
    keys.delivery(tenant, 'dlv_1'),
    // Not an account, but its key begins like one.
    { pk: `${keys.account(tenant).pk}#SESSIONS#usr_1`, sk: 'ses_1' },
  ])('do not include $pk', async (key) => {
    await expect(table.get(key)).rejects.toThrow('ingest may not access the partition');
    await expect(table.getMany([key])).rejects.toThrow('may not access');
    await expect(table.query({ partition: key.pk })).rejects.toThrow('may not access');
    await expect(table.putMany([{ ...key, v: '1' }])).rejects.toThrow('may not access');
    for (const write of [{ put: { ...key, v: '1' } }, { delete: key }, { check: key, if: 'absent' as const }])
      await expect(table.transact([write])).rejects.toThrow('may not access');
  });

  it('include API keys, whose use it records, and the account with its rates', async () => {
    for (const key of [keys.apiKey('digest'), keys.account(tenant), keys.rate(tenant, 'push')])
      expect(await table.get(key)).toBeUndefined();
  });
});
