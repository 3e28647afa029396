import { useEffect } from 'preact/hooks';
import { STATE_SHAPE } from '#console/parts/state-mark.tsx';
import { tabTitle } from '#console/rules/states.ts';
import { counts, logoState } from './counts.ts';
import { route } from './route.ts';

/** Colors for every theme, because the tab bar of a browser can have any color. */
const COLOR = { up: '#00a884', down: '#e5484d', unknown: '#7c8694' };

/** Shows in the title and icon of the tab whether entities are down. */
export function TabTitle() {
  const down = counts.value?.down ?? 0;
  const state = logoState.value;
  const title = tabTitle(route.value?.row.title ?? '', down);
  useEffect(() => {
    document.title = title;
  }, [title]);
  useEffect(() => {
    const path = `<path fill="${COLOR[state]}" d="${STATE_SHAPE[state]}"/>`;
    const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16">${path}</svg>`;
    const link = document.querySelector<HTMLLinkElement>('link[rel=icon]');
    if (link) link.href = `data:image/svg+xml,${encodeURIComponent(svg)}`;
  }, [state]);
  return null;
}
