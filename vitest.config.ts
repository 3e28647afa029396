import { globSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { generatedFiles } from '#test/support/generated.ts';
import { isNightly } from '#test/support/nightly.ts';

const env = {
  // Vite sets BASE_URL to "/" in every worker; the one given from outside must reach the tests.
  BASE_URL: process.env.BASE_URL ?? '',
  // Many tests start programs of ours: with what node compiled at an earlier start, theirs take a third of the time.
  NODE_COMPILE_CACHE: join(import.meta.dirname, '.cache/node'),
};

/**
 * Files that change what a whole process shares (whom it trusts, its environment, its stdout), count what a process
 * holds, or measure its time. Each has a process of its own, and they run one by one after all others.
 */
const ALONE = [
  'batch-metrics',
  'deliver',
  'event-loop',
  'node-net-deadline',
  'planted-secrets',
  'starttls',
  'tls',
  'tls-assertions',
].map((name) => {
  const pattern = `test/**/${name}.test.ts`;
  if (globSync(pattern, { cwd: import.meta.dirname }).length === 0) throw new Error(`There is no ${pattern} any more.`);
  return pattern;
});

/** Tests that take too long for the gate: part `slow` of `npm run test:nightly`. */
const NIGHTLY = '**/*.nightly.test.ts';

/** Files of these run one after the other in a process that keeps what it has loaded: that halves their time. */
const SHARED = { isolate: false };

/** @param more what differs from: each file has a process of its own */
const project = (name: string, more: object = {}) => ({
  plugins: [generatedFiles],
  test: {
    name,
    env,
    include: [`test/${name}/**/*.test.ts`],
    exclude: [...ALONE, NIGHTLY],
    // Nothing is measured by these: they end what hangs, also on a machine that has much else to do.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Property tests, and what every test file ends with.
    setupFiles: ['#test/support/properties.ts', '#test/support/no-secret-in-logs.ts'],
    ...more,
  },
});

export default defineConfig({
  test: {
    reporters: ['default', '#test/support/closing-line.ts'],
    // Some of the longest files wait most of the time: three keep two cores busy.
    maxWorkers: Math.max(3, availableParallelism() - 1),
    projects: [
      project('unit', SHARED),
      project('contract', { ...SHARED, globalSetup: '#test/support/make-assets.ts' }),
      project('faults'),
      project('infra'),
      project('mcp-clients'),
      project('research', { include: ['research/**/*.test.ts'] }),
      ...(isNightly
        ? [project('nightly', { include: [NIGHTLY, 'test/contract/worst-body.test.ts'], exclude: ['test/console/**'] })]
        : []),
      project('alone', { include: ALONE, exclude: [], fileParallelism: false }),
    ],
  },
});
