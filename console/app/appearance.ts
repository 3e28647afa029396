import { effect, signal } from '@preact/signals';
import type { Zone } from '#console/rules/time.ts';

export type Theme = 'auto' | 'light' | 'dark';

/** Creates a setting that the browser stores. The first value is the default. */
function storedChoice<T extends string>(name: string, values: readonly [T, ...T[]]) {
  const key = `fleetwatch.${name}`;
  const stored = read(key);
  const choice = signal<T>(values.find((value) => value === stored) ?? values[0]);
  effect(() => write(key, choice.value));
  return choice;
}

/** Reads a stored value. `localStorage` throws if the browser blocks storage. */
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
    // The setting lasts until the page is closed.
  }
}

export const theme = storedChoice<Theme>('theme', ['auto', 'light', 'dark']);

export const zone = storedChoice<Zone>('zone', ['local', 'utc']);

export function applyTheme(): void {
  effect(() => {
    document.documentElement.dataset.theme = theme.value;
  });
}
