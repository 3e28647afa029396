import { globSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { generatedFiles } from '#test/support/generated.ts';
import { isNightly } from '#test/support/nightly.ts';

const env = {
  // Vite sets BASE_URL to "/" in every worker; the given URL must reach the tests.
  BASE_URL: process.env.BASE_URL ?? '',
  // Many tests start programs: with code compiled at an earlier start, they take a third of the time.
  NODE_COMPILE_CACHE: join(import.meta.dirname, '.cache/node'),
};

/**
 * Files that change state of the whole process (certificates, environment, stdout), count its resources, or measure its
 * time. Each runs in its own process, one by one after all others.
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
  if (globSync(pattern, { cwd: import.meta.dirname }).length === 0) throw new Error(`No file matches ${pattern}.`);
  return pattern;
});

/** Tests that are too slow for regular runs: part `slow` of `npm run test:nightly`. */
const NIGHTLY = '**/*.nightly.test.ts';

/** For projects whose files share worker processes that keep loaded modules, which halves their time. */
const SHARED = { isolate: false };

/** @param more overrides; by default each file has its own process */
const project = (name: string, more: object = {}) => ({
  plugins: [generatedFiles],
  test: {
    name,
    env,
    include: [`test/${name}/**/*.test.ts`],
    exclude: [...ALONE, NIGHTLY],
    // So long that only a hanging test times out, also on a busy machine.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Setup of property tests, and a check after every test file.
    setupFiles: ['#test/support/properties.ts', '#test/support/no-secret-in-logs.ts'],
    ...more,
  },
});

export default defineConfig({
  test: {
    reporters: ['default', '#test/support/closing-line.ts'],
    // Some of the longest files mostly wait: three keep two cores busy.
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
