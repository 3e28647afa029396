import { afterAll, expect } from 'vitest';
import { linesWithSecrets } from './kept-secrets.ts';

/** Whatever a file of tests does: no secret that was drawn for it is in a log of its services. */
afterAll(() => {
  expect(linesWithSecrets()).toEqual([]);
});
