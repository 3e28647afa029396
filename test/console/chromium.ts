import { findProgram } from '#test/support/find-program.ts';

/** Debian's Chromium; undefined where there is none, and then these tests are skipped. */
export const binary = findProgram('chromium');
if (!binary && process.env.CI) throw new Error('chromium is missing; .ci/peers installs it.');
