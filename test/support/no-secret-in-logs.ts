import { afterAll, expect } from 'vitest';
import { linesWithSecrets } from './kept-secrets.ts';

/** After each test file: no generated secret is in a log of its services. */
afterAll(() => {
  expect(linesWithSecrets()).toEqual([]);
});
