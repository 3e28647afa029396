import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { testSelection } from './cannot.ts';

const root = join(import.meta.dirname, '../..');
// Vite sets its own BASE_URL.
const env = { BASE_URL: process.env.BASE_URL ?? '' };

/** Tests of each kind of request and of pings, which do not need the schedule: its first tick comes a minute later. */
const WITHOUT_SCHEDULE = [
  'test/deploy/{mcp,ping-url,ports}.test.ts',
  'test/contract/{access,blueprints,settings-tests,entities,mcp-tools}.test.ts',
  'test/contract/ping-{assertions,bodies,runs}.test.ts',
];

/** Tests that wait for probes, alerts or actions. */
const WITH_SCHEDULE = [
  'test/deploy/{deployed-walk,smoke}.test.ts',
  'test/contract/{action-runs,checks,deliveries,pings,push}.test.ts',
];

/** Test that starts before the first tick and waits for it. */
const BY_THE_SCHEDULE = 'test/deploy/scheduled-check.test.ts';

const project = (name: string, include: string[], exclude: string[] = [], testTimeout = 100_000) => ({
  // A worker keeps loaded modules and bundles for its next file: both take seconds.
  test: { name, root, env, include, exclude, testTimeout, hookTimeout: 60_000, isolate: false },
});

export default defineConfig({
  root,
  test: {
    reporters: ['default', './test/support/closing-line.ts'],
    // Each request may start a process of the emulator.
    maxWorkers: 4,
    maxConcurrency: 2,
    testNamePattern: testSelection.pattern,
    projects: [
      project('template', ['test/deploy/template/*.test.ts']),
      project('before the first tick', WITHOUT_SCHEDULE, testSelection.exclude),
      // In a browser, at the origin that CloudFront would have.
      project('console', ['test/console/on-call.test.ts']),
      project('whole console', ['test/console/*.test.ts'], testSelection.exclude, 300_000),
      project('across the first tick', [BY_THE_SCHEDULE], [], 230_000),
      project('with the schedule', WITH_SCHEDULE, testSelection.exclude),
      project(
        'rest of the contract',
        ['test/contract/*.test.ts'],
        [...testSelection.exclude, ...WITHOUT_SCHEDULE, ...WITH_SCHEDULE],
      ),
    ],
  },
});
