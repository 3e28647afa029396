import fc from 'fast-check';
import { isNightly } from './nightly.ts';

/**
 * Property tests draw new cases at every run, and name the seed of one that fails. The gate draws the same ones each
 * time, so that a red run is the fault of the change it ran for.
 */
if (process.env.CI === 'true' && !isNightly) fc.configureGlobal({ seed: 1 });
