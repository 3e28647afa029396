import { computed } from '@preact/signals';
import { countsOf } from '#console/rules/fleet.ts';
import { live } from './live.ts';

/** How many entities are in each state; undefined until they were read. */
export const counts = computed(() => (live.fleet.value ? countsOf(live.fleet.value.values()) : undefined));

/** How many are down. */
export const downCount = computed(() => counts.value?.down ?? 0);
