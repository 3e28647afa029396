import { effect, signal } from '@preact/signals';
import type { Zone } from '#console/rules/time.ts';

export type Theme = 'auto' | 'light' | 'dark';

/** What this browser remembers of how one likes it. Nothing in it is secret. */
function kept<T extends string>(name: string, values: readonly [T, ...T[]]) {
  const key = `fleetwatch.${name}`;
  const stored = read(key);
  const choice = signal<T>(values.find((value) => value === stored) ?? values[0]);
  effect(() => write(key, choice.value));
  return choice;
}

/** A browser that keeps nothing throws at the mere mention of its storage. */
function read(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

function write(key: string, value: string): void {
  try {
    localStorage.setItem(key, value);
  } catch {
    // It holds until the page is closed.
  }
}

export const theme = kept<Theme>('theme', ['auto', 'light', 'dark']);

/** The zone of all times that are shown. */
export const zone = kept<Zone>('zone', ['local', 'utc']);

/** Puts the theme on the page whenever it is changed. */
export function applyTheme(): void {
  effect(() => {
    document.documentElement.dataset.theme = theme.value;
  });
}
