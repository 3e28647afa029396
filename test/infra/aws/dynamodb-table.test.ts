import { afterAll, describe, expect, it } from 'vitest';
import { under } from '#lib/keys.ts';
import type { Item } from '#lib/platform/ports.ts';
import { tableContract } from '#test/support/table-contract.ts';
import { partition } from '#test/support/table-limits.ts';
import { type StandIn, standIns, startStandIn } from './stand-in.ts';

const missing = Object.keys(standIns).filter((name) => !standIns[name]);
if (missing.length > 0 && process.env.CI === 'true')
  throw new Error(`.ci/peers must install ${missing.join(' and ')}.`);

describe.each(Object.entries(standIns))('DynamoDB emulated by %s', (name, begin) => {
  describe.skipIf(!begin)('table contract', () => {
    let standIn: Promise<StandIn> | undefined;
    const start = () => (standIn ??= startStandIn(begin!));
    afterAll(async () => (await standIn)?.stop());

    tableContract(name, async () => (await start()).table);

    it('restarts or ends a list when its bounds have moved past the position', async () => {
      const { table } = await start();
      const pk = partition();
      await table.putMany(['a', 'b', 'c', 'd'].map((sk) => ({ pk, sk })));
      const query = async (more: object) => {
        const { items } = await table.query({ partition: pk, ...more });
        return items.map((item) => item.sk).join('');
      };
      expect(await query({ from: 'c', after: 'a' })).toBe('cd');
      expect(await query({ to: 'b', after: 'c' })).toBe('');
      expect(await query({ to: 'b', after: 'd', descending: true })).toBe('ba');
      expect(await query({ from: 'c', after: 'a', descending: true })).toBe('');
      expect(await query({ ...under('b'), after: 'a' })).toBe('b');
      expect(await query({ ...under('b'), after: 'c' })).toBe('');
      expect(await query({ from: 'c', to: 'b' })).toBe('');
      expect(await query({ from: '', to: 'b' })).toBe('ab');
    });

    it('keeps the last of two items with one key in a batch', async () => {
      const { table } = await start();
      const key = { pk: partition(), sk: 'a' };
      await table.putMany([{ ...key, n: 1 } as Item, { ...key, n: 2 } as Item]);
      expect(await table.get(key)).toEqual({ ...key, n: 2 });
    });
  });
});
