import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ensureFirstAccount } from '#infra/local/first-account.ts';
import { memoryWorld } from '#test/support/memory-world.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'fleetwatch-account-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

it.each(['before', 'after'])('leaves a working key when a first start dies %s its account is written', async (when) => {
  let isDying = true;
  const world = memoryWorld((table) => ({
    ...table,
    transact: async (writes) => {
      if (isDying && when === 'before') throw new Error('killed');
      const outcome = await table.transact(writes);
      if (isDying) throw new Error('killed');
      return outcome;
    },
  }));
  await expect(ensureFirstAccount(world, dir)).rejects.toThrow('killed');
  isDying = false;
  const key = await ensureFirstAccount(world, dir);
  expect(await world.bearer(key!.raw)).toMatchObject({ caller: { role: 'admin' } });
  expect(await ensureFirstAccount(world, dir)).toEqual({ raw: key!.raw, isNew: false });
});

it('restricts an existing, world-readable key file to its owner', async () => {
  const world = memoryWorld();
  const file = join(dir, 'admin-key');
  for (const isNew of [true, false]) {
    writeFileSync(file, isNew ? 'an old text, which is longer than any key generated today ....' : readFileSync(file));
    chmodSync(file, 0o644);
    const key = await ensureFirstAccount(world, dir);
    expect(key).toEqual({ raw: readFileSync(file, 'utf8').trim(), isNew });
    expect(statSync(file).mode & 0o777).toBe(0o600);
  }
});
