import type { Bus, BusEvent, Log } from '#lib/platform/ports.ts';

export type LocalBus = Bus & {
  recent: readonly BusEvent[];
};

const KEPT = 100;

/** Creates the event bus of one machine, which logs each event. */
export function makeBus(log: Log): LocalBus {
  const recent: BusEvent[] = [];
  return {
    recent,
    publish: async (events) => {
      for (const event of events) log.info('event', event);
      recent.push(...events);
      recent.splice(0, recent.length - KEPT);
    },
  };
}
