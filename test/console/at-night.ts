import { it } from 'vitest';
import { isNightly } from '#test/support/nightly.ts';

/** A test of widths, themes or accessibility that runs only at night. */
export const atNight: (name: string, run: () => Promise<void>) => void = isNightly ? it : () => {};
