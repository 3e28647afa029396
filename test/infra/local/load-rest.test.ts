import { expect, it } from 'vitest';
import { loadRest } from '#infra/local/preload.ts';
import { memoryLog } from '#test/support/log.ts';

it('loads on one machine every part of the API that a request may need, without a word', async () => {
  const log = memoryLog();
  await loadRest(log);
  expect(log.lines).toEqual([]);
});
