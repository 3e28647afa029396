import fc from 'fast-check';
import { isNightly } from './nightly.ts';

/**
 * Property tests use new cases in every run and print the seed of a failed one. CI uses the same cases in each run, so
 * that a failure is due to the change under test.
 */
if (process.env.CI === 'true' && !isNightly) fc.configureGlobal({ seed: 1 });
