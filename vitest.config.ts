import { defineConfig } from 'vitest/config';

// Vite sets BASE_URL to "/" in every worker; the one given from outside must reach the tests.
const env = { BASE_URL: process.env.BASE_URL ?? '' };

const project = (name: string, more: object = {}) => ({
  test: {
    name,
    env,
    include: [`test/${name}/**/*.test.ts`],
    testTimeout: 20_000,
    hookTimeout: 30_000,
    ...more,
  },
});

/** Of the projects that have property tests. */
const properties = { setupFiles: ['#test/support/properties.ts'] };

export default defineConfig({
  test: {
    reporters: ['default', '#test/support/closing-line.ts'],
    projects: [
      project('unit', properties),
      project('contract'),
      project('faults'),
      project('infra', properties),
      project('mcp-clients'),
    ],
  },
});
