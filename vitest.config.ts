import { defineConfig } from 'vitest/config';

const project = (name: string, more: object = {}) => ({
  test: { name, include: [`test/${name}/**/*.test.ts`], testTimeout: 20_000, hookTimeout: 30_000, ...more },
});

export default defineConfig({
  test: {
    reporters: ['default', './test/support/closing-line.ts'],
    projects: [project('unit'), project('contract'), project('faults'), project('infra')],
  },
});
