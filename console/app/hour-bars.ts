import { effect } from '@preact/signals';
import { call } from '#console/api/call.ts';
import { makeHourBars } from '#console/api/hour-bars.ts';
import { live } from './live.ts';
import { identity } from './session.ts';

/** Hour bars of the fleet, kept across pages. */
export const hourBars = makeHourBars({
  now: Date.now,
  after: (ms, run) => {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
  get: (path) => call('GET', path),
  rowOf: (id) => live.fleet.peek()?.get(id),
});

effect(() => {
  identity.value;
  hourBars.forget();
});

effect(() => {
  live.fleet.value;
  hourBars.changed();
});
