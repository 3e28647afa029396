import { eventually } from '#test/support/eventually.ts';
import type { Arrival } from './healthy.ts';
import type { Flip, Load } from './load.ts';
import { slotsOf } from './slots.ts';
import type { Victim } from './victim.ts';

/** Outcome of the victim's checks and alerts. Times in ms; Infinity for an alert or a request that did not arrive. */
export type Outcome = {
  slots: number;
  lost: number;
  /** Delay of each probe after its slot. */
  delays: number[];
  /** Failed results, and changes to down, of checks whose target was always up. */
  false_failures: number;
  false_downs: number;
  /** Time from the due time of each push to the arrival of its alert, and of the request of its action. */
  alerts: number[];
  actions: number[];
};

/** Time after which an arrival counts as missing. */
const PATIENCE_MS = 10_000;
/** Time until the last probes are recorded: they wait up to two seconds for others of their slot. */
const SETTLED_MS = 4000;

/** Reads the outcome of a load. Rejects if the service does not respond. */
export async function outcomeOf({ caller, pulled, flipping, receiver }: Victim, load: Load): Promise<Outcome> {
  const { from, until, flips } = load;
  const arrived = async () => {
    const all = await receiver.arrivals();
    return all.length >= 2 * flips.length && all;
  };
  await eventually(arrived, PATIENCE_MS).catch(() => {});
  const arrivals = await receiver.arrivals();
  await eventually(() => Date.now() > until + SETTLED_MS);

  const outcome: Outcome = {
    slots: 0,
    lost: 0,
    delays: [],
    false_failures: 0,
    false_downs: 0,
    alerts: [],
    actions: [],
  };
  const range = `since=${new Date(from - 1000).toISOString()}&until=${new Date(until + 1000).toISOString()}`;
  for (const { id, schedule } of pulled) {
    const results = await caller.all(`/v1/checks/${id}/results?limit=500&${range}`);
    const began = results.map(({ checked_at }) => Date.parse(checked_at));
    const { due, lost, delays } = slotsOf(schedule, began, from, until);
    outcome.slots += due;
    outcome.lost += lost;
    outcome.delays.push(...delays);
    outcome.false_failures += results.filter(({ success }) => !success).length;
    const transitions = await caller.all(`/v1/checks/${id}/transitions`);
    outcome.false_downs += transitions.filter(({ check_to_state }) => check_to_state === 'down').length;
  }
  for (const id of flipping) {
    const transitions = await caller.all(`/v1/checks/${id}/transitions`);
    const own = flips.filter(({ check }) => check === id);
    outcome.alerts.push(...own.map((one) => delayOf(one, transitions, arrivals, 'alert')));
    outcome.actions.push(...own.map((one) => delayOf(one, transitions, arrivals, 'action')));
  }
  return outcome;
}

type Transition = { id: string; timestamp: string; alert: { deliveries: string[] } };

/**
 * Returns the time (ms) from the due time of a flip to the arrival of its alert or action. A flip caused the transition
 * whose time is between its request and its response.
 */
function delayOf(flip: Flip, transitions: Transition[], arrivals: Arrival[], what: 'alert' | 'action'): number {
  const { sent_at, answered_at = Number.NEGATIVE_INFINITY } = flip;
  const made = transitions.find(({ timestamp }) => {
    const at = Date.parse(timestamp);
    return at >= sent_at && at <= answered_at;
  });
  if (!made) return Number.POSITIVE_INFINITY;
  const arrival = arrivals.find(({ path, delivery }) =>
    what === 'action' ? path === `/action/${made.id}` : made.alert.deliveries.includes(delivery),
  );
  return (arrival?.at ?? Number.POSITIVE_INFINITY) - flip.due;
}
