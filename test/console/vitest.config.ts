import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { isNightly } from '#test/support/nightly.ts';

/** Tests of the console in a browser. */
export default defineConfig({
  root: join(import.meta.dirname, '../..'),
  test: {
    include: ['test/console/**/*.test.ts'],
    globalSetup: '#test/support/make-assets.ts',
    exclude: isNightly ? [] : ['**/*.nightly.test.ts'],
    env: {
      NODE_COMPILE_CACHE: join(import.meta.dirname, '../../.cache/node'),
      // Vite sets BASE_URL to "/" in every worker, but the tests need the value of the environment.
      BASE_URL: process.env.BASE_URL ?? '',
    },
    reporters: ['default', '#test/support/closing-line.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // A browser has several processes, so a third worker is not faster on two cores.
    maxWorkers: 2,
    // Test files share modules, the browser, and the service (browser-and-service.ts).
    isolate: false,
  },
});
