import { ApiFailure } from '#console/api/call.ts';
import type { LiveWorld } from '#console/api/live.ts';
import type { State, StatusEntity, Transition } from '#console/api/records.ts';
import { plannedAlert } from '#test/support/alert-decisions.ts';

const START = Date.parse('2026-11-22T12:00:00.000Z');

export const entity = (id: string, more: Partial<StatusEntity> = {}): StatusEntity => ({
  id,
  blueprint_slug: 'service',
  slug: id,
  name: id,
  fields: {},
  labels: {},
  silenced: false,
  silenced_until: null,
  silence_reason: '',
  state: 'up',
  state_since: '2026-11-22T10:00:00.000Z',
  dependencies: 0,
  dependents: 0,
  created_at: '2026-11-22T09:00:00.000Z',
  updated_at: '2026-11-22T10:00:00.000Z',
  error_message: '',
  stale: false,
  ...more,
});

export const transition = (
  id: string,
  entity_id: string,
  [from_state, to_state]: readonly [State, State],
  more: Partial<Transition> = {},
): Transition => ({
  id,
  transition_id: id,
  entity_id,
  entity_name: entity_id,
  blueprint_slug: 'service',
  entity_slug: entity_id,
  check_id: `check of ${entity_id}`,
  tenant_id: 'acc_1',
  from_state,
  to_state,
  check_from_state: 'up',
  check_to_state: to_state === 'up' ? 'up' : 'down',
  timestamp: '2026-11-22T12:00:00.000Z',
  outage_started_at: null,
  cause: 'result',
  error_message: to_state === 'up' ? '' : `${id} failed`,
  alert: plannedAlert([], 0),
  ...more,
});

/** Creates a fake service with a fleet, a feed, and a manual clock. */
export function liveWorld() {
  let now = START;
  let timer: { at: number; run: () => void } | undefined;
  const world = {
    entities: [] as StatusEntity[],
    /** Newest first. */
    feed: [] as Transition[],
    hidden: false,
    lastInput: START,
    fails: undefined as Error | undefined,
    /** Path whose requests fail. */
    failsAt: undefined as string | undefined,
    /** Page size of the status. */
    pageSize: 1000,
    requests: [] as string[],
    /** Returns the milliseconds until the next poll; undefined if none is planned. */
    next: () => (timer ? timer.at - now : undefined),
    /** Advances the clock to the next poll and waits for it. */
    async turn() {
      const due = timer;
      if (!due) throw new Error('No poll is planned.');
      now = Math.max(now, due.at);
      timer = undefined;
      due.run();
      await settled();
    },
    pass(ms: number) {
      now += ms;
    },
  };
  const ports: LiveWorld = {
    now: () => now,
    after(ms, run) {
      const own = { at: now + ms, run };
      timer = own;
      return () => {
        if (timer === own) timer = undefined;
      };
    },
    isHidden: () => world.hidden,
    lastInput: () => world.lastInput,
    async get<T>(path: string, { signal }: { signal: AbortSignal }) {
      world.requests.push(path);
      await Promise.resolve();
      signal.throwIfAborted();
      if (world.fails) throw world.fails;
      if (path === world.failsAt) throw new ApiFailure('No response.', { status: 0, code: 'UNREACHABLE' });
      const { pathname, searchParams } = new URL(path, 'http://service');
      if (pathname === '/v1/status/transitions') {
        const after = searchParams.get('after');
        const at = world.feed.findIndex(({ id }) => id === after);
        if (after !== null && at < 0) throw new ApiFailure('Transition not found.', { status: 404, code: 'NOT_FOUND' });
        const list = after === null ? world.feed : world.feed.slice(0, at).toReversed();
        const limit = Number(searchParams.get('limit'));
        return { value: list.slice(0, limit) as T, next: list.length > limit ? 'more' : undefined };
      }
      const from = Number(searchParams.get('cursor') ?? 0);
      const to = from + world.pageSize;
      const next = to < world.entities.length ? `/v1/status?counts=false&cursor=${to}` : undefined;
      return { value: { entities: world.entities.slice(from, to) } as T, next };
    },
  };
  return { world, ports };
}

/** Waits until pending promises are settled. */
export async function settled(): Promise<void> {
  for (let i = 0; i < 100; i++) await Promise.resolve();
}
