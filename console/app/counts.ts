import { computed } from '@preact/signals';
import { countsOf } from '#console/rules/fleet.ts';
import { isOutdated, live } from './live.ts';

/** Number of entities per state; undefined until the first read. */
export const counts = computed(() => (live.fleet.value ? countsOf(live.fleet.value.values()) : undefined));

/** State of the logo and the tab icon: down if an entity is down; unknown until the first read and while outdated. */
export const logoState = computed(() =>
  counts.value === undefined || isOutdated.value ? 'unknown' : counts.value.down > 0 ? 'down' : 'up',
);
