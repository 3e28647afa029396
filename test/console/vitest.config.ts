import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { isNightly } from '#test/support/nightly.ts';

/** The pages in a real browser. */
export default defineConfig({
  root: join(import.meta.dirname, '../..'),
  test: {
    include: ['test/console/**/*.test.ts'],
    globalSetup: '#test/support/make-assets.ts',
    exclude: isNightly ? [] : ['**/*.nightly.test.ts'],
    env: {
      NODE_COMPILE_CACHE: join(import.meta.dirname, '../../.cache/node'),
      // Vite has a BASE_URL of its own.
      BASE_URL: process.env.BASE_URL ?? '',
    },
    reporters: ['default', '#test/support/closing-line.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // A browser is several processes: with a third worker two cores are no faster.
    maxWorkers: 2,
    // What one file has loaded, its browser and its service are there for the next (browser-and-service.ts).
    isolate: false,
  },
});
