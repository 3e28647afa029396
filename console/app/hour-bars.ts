import { effect } from '@preact/signals';
import { call } from '#console/api/call.ts';
import { makeHourBars } from '#console/api/hour-bars.ts';
import { makeMonthUptimes } from '#console/api/month-uptimes.ts';
import { live } from './live.ts';
import { identity } from './session.ts';

const world = {
  now: Date.now,
  after: (ms: number, run: () => void) => {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
  get: <T>(path: string) => call<T>('GET', path),
};

/** Hour bars of the fleet, kept across pages. */
export const hourBars = makeHourBars({ ...world, rowOf: (id) => live.fleet.peek()?.get(id) });

/** Uptimes of the fleet in the last 30 days, kept across pages. */
export const monthUptimes = makeMonthUptimes(world);

effect(() => {
  identity.value;
  hourBars.forget();
  monthUptimes.forget();
});

effect(() => {
  live.fleet.value;
  hourBars.changed();
});
