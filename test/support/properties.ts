import fc from 'fast-check';

/**
 * Property tests draw new cases at every run, and name the seed of one that fails. In CI they draw the same ones each
 * time, so that a red run is the fault of the change it ran for.
 */
if (process.env.CI === 'true') fc.configureGlobal({ seed: 1 });
