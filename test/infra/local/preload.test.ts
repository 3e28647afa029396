import { expect, it } from 'vitest';
import { loadLazyParts } from '#infra/local/preload.ts';
import { memoryLog } from '#test/support/log.ts';

it('loads every lazy part of the API on one machine without a warning', async () => {
  const log = memoryLog();
  await loadLazyParts(log);
  expect(log.lines).toEqual([]);
});
