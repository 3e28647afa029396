import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { namesThatCan } from './cannot.ts';

const root = join(import.meta.dirname, '../..');
// Vite has a BASE_URL of its own.
const env = { BASE_URL: process.env.BASE_URL ?? '' };

export default defineConfig({
  root,
  test: {
    reporters: ['default', './test/support/closing-line.ts'],
    // Each request may start a process of the emulator's.
    maxWorkers: 4,
    maxConcurrency: 2,
    testNamePattern: namesThatCan.pattern,
    projects: [
      {
        test: {
          name: 'deployed',
          root,
          env,
          include: ['test/deploy/*.test.ts', 'test/contract/*.test.ts'],
          exclude: namesThatCan.exclude,
          testTimeout: 100_000,
          hookTimeout: 60_000,
        },
      },
    ],
  },
});
