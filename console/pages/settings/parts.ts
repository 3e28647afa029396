import type { ComponentType } from 'preact';
import { Look } from './look.tsx';
import { OwnSignIns } from './own-sign-ins.tsx';

/** The parts of the settings, in the order of their tabs; the first is shown where none is named. */
export const parts: readonly { part: string; name: string; Part: ComponentType }[] = [
  { part: 'look', name: 'Look', Part: Look },
  { part: 'sign-in', name: 'Your sign-in', Part: OwnSignIns },
];
