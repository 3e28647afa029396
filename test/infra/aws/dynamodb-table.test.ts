import { afterAll, describe, expect, it } from 'vitest';
import type { Item } from '#lib/platform/ports.ts';
import { tableContract } from '#test/support/table-contract.ts';
import { partition } from '#test/support/table-limits.ts';
import { dynoxide, type StandIn, startDynoxide } from './dynoxide.ts';

if (!dynoxide && process.env.CI === 'true') throw new Error('CI must have the optional package @dynoxide/linux-x64.');

let standIn: Promise<StandIn> | undefined;
const start = () => (standIn ??= startDynoxide(dynoxide!));
afterAll(async () => (await standIn)?.stop());

describe.skipIf(!dynoxide)('DynamoDB', () => {
  tableContract('DynamoDB', async () => (await start()).table);

  it('starts a list anew, or ends it, when its bounds have moved past the position', async () => {
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
    expect(await query({ prefix: 'b', after: 'a' })).toBe('b');
    expect(await query({ prefix: 'b', after: 'c' })).toBe('');
    expect(await query({ from: 'c', to: 'b' })).toBe('');
    expect(await query({ from: '', to: 'b' })).toBe('ab');
  });

  it('keeps the last of two items of one key put together', async () => {
    const { table } = await start();
    const key = { pk: partition(), sk: 'a' };
    await table.putMany([{ ...key, n: 1 } as Item, { ...key, n: 2 } as Item]);
    expect(await table.get(key)).toEqual({ ...key, n: 2 });
  });
});
