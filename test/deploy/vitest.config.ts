import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { namesThatCan } from './cannot.ts';

const root = join(import.meta.dirname, '../..');
// Vite has a BASE_URL of its own.
const env = { BASE_URL: process.env.BASE_URL ?? '' };

/** Says how the schedule fares, which begins a minute after it was deployed: comes last. */
const AFTER_A_TICK = 'test/contract/status.test.ts';

const project = (name: string, groupOrder: number, include: string[], exclude: string[] = []) => ({
  test: { name, root, env, include, exclude, testTimeout: 100_000, hookTimeout: 60_000, sequence: { groupOrder } },
});

export default defineConfig({
  root,
  test: {
    reporters: ['default', './test/support/closing-line.ts'],
    // Each request may start a process of the emulator's.
    maxWorkers: 4,
    maxConcurrency: 2,
    testNamePattern: namesThatCan.pattern,
    projects: [
      project(
        'deployed',
        1,
        ['test/deploy/*.test.ts', 'test/contract/*.test.ts'],
        [...namesThatCan.exclude, AFTER_A_TICK],
      ),
      project('deployed, after a tick', 2, [AFTER_A_TICK]),
      project('template', 3, ['test/deploy/template/*.test.ts']),
    ],
  },
});
