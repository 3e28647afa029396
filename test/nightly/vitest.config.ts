import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

/** Tests that take too long for the gate. */
export default defineConfig({
  root: join(import.meta.dirname, '../..'),
  test: {
    include: ['{test,research}/**/*.nightly.test.ts'],
    exclude: ['test/console/**'],
    env: {
      NODE_COMPILE_CACHE: join(import.meta.dirname, '../../.cache/node'),
      // Vite sets BASE_URL to "/".
      BASE_URL: '',
    },
    setupFiles: ['#test/support/properties.ts', '#test/support/no-secret-in-logs.ts'],
    reporters: ['default', '#test/support/closing-line.ts'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
