import { findProgram } from '#test/support/find-program.ts';

/** Path of Chromium; undefined if it is not installed, and these tests are then skipped. */
export const binary = findProgram('chromium');
if (!binary && process.env.CI) throw new Error('chromium is missing; run .ci/peers to install it.');
