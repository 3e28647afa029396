import { computed } from '@preact/signals';
import { countsOf } from '#console/rules/fleet.ts';
import { live } from './live.ts';

/** Number of entities per state; undefined until the first read. */
export const counts = computed(() => (live.fleet.value ? countsOf(live.fleet.value.values()) : undefined));

/** Number of entities that are down. */
export const downCount = computed(() => counts.value?.down ?? 0);
