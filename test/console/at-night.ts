import { it } from 'vitest';
import { isNightly } from '#test/support/nightly.ts';

/** A test of widths, themes or barriers, which the gate leaves out. */
export const atNight: (name: string, run: () => Promise<void>) => void = isNightly ? it : () => {};
