import { expect, it } from 'vitest';
import { loadRest } from '#infra/local/preload.ts';
import { memoryLog } from '#test/support/log.ts';

it('loads every lazy part of the API on one machine without a warning', async () => {
  const log = memoryLog();
  await loadRest(log);
  expect(log.lines).toEqual([]);
});
