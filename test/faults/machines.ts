import { create as createActionPlanner } from '#functions/action-planner.ts';
import { create as createActionRunner } from '#functions/action-runner.ts';
import { create as createApi } from '#functions/api.ts';
import { create as createDeliverer } from '#functions/deliverer.ts';
import { create as createGenerator } from '#functions/generator.ts';
import { create as createHousekeeper } from '#functions/housekeeper.ts';
import { create as createIncidentKeeper } from '#functions/incident-keeper.ts';
import { create as createIngest } from '#functions/ingest.ts';
import { create as createMcp } from '#functions/mcp.ts';
import { create as createNotifier } from '#functions/notifier.ts';
import { create as createProber } from '#functions/prober.ts';
import { create as createPublic } from '#functions/public.ts';
import { create as createPublisher } from '#functions/publisher.ts';
import { create as createTester } from '#functions/tester.ts';
import { functions } from '#infra/topology.ts';
import type { FunctionRun } from '#test/oracle/inside.ts';
import { invokedBy, type Lineage } from '#test/support/lineage.ts';
import { count } from './observations.ts';
import { type Process, type Shared, startProcess } from './process.ts';
import { runContext } from './run-context.ts';

const handlersOf = ({ ports, publish }: Process) => ({
  api: createApi(ports),
  ingest: createIngest(ports),
  tester: createTester(ports),
  mcp: createMcp(ports),
  generator: createGenerator(ports),
  prober: createProber(ports),
  notifier: createNotifier(ports),
  deliverer: createDeliverer(ports, publish),
  housekeeper: createHousekeeper(ports),
  'incident-keeper': createIncidentKeeper(ports),
  publisher: createPublisher(ports),
  public: createPublic(ports),
  'action-planner': createActionPlanner(ports),
  'action-runner': createActionRunner(ports),
});
export type Handlers = ReturnType<typeof handlersOf>;
type Begun = { process: Process; handlers: Handlers };

/** Time in which an aborted run can report its progress (ms). */
const GRACE_MS = 1000;

/** Ranges of the time limits of runs that get little time (ms); most runs take some milliseconds. */
const LIMITS_MS = [
  [5, 50],
  [50, 500],
  [500, 8000],
] as const;

/**
 * Returns a runner of functions in processes that crash, sleep and time out.
 * @param onResume called when the service resumes after a stop
 */
export function machines(shared: Shared, onResume: () => void) {
  const { random, clock, seen } = shared;
  const alive = new Set<Process>();
  let running = true;
  let one: Begun | undefined;
  let idle: Begun[] = [];

  function begin(): Begun {
    if (shared.profile.oneProcess && one && !one.process.dead) return one;
    idle = idle.filter(({ process }) => !process.dead);
    const warm = idle.pop();
    if (warm) return warm;
    const process = startProcess(shared);
    alive.add(process);
    process.onDeath(() => alive.delete(process));
    const begun = { process, handlers: handlersOf(process) };
    if (shared.profile.oneProcess) {
      one = begun;
      process.onDeath(restart);
    }
    return begun;
  }

  /**
   * Restarts the only process after its death: nothing runs until its supervisor has started it and the outage is
   * recorded.
   */
  function restart(): void {
    if (!running) return;
    running = false;
    const from = clock.now();
    clock.at(from + random.int(300, 5000), () => resume(from));
  }

  /** @param from time of the stop, by the liveness file */
  async function resume(from: number, how: { suspended?: true } = {}): Promise<void> {
    // A service that cannot record its outage does not start.
    while (shared.storeSpell() === 'disk full') await clock.sleep(1000);
    const outage = { from, to: clock.now() };
    seen.outages.push({ ...outage, ...how });
    await shared.noteOutage(outage);
    running = true;
    onResume();
  }

  /** Marks the service as stopped, and counts the fault. @returns the time; undefined if it was already stopped */
  function stop(fault: string): number | undefined {
    if (!running) return undefined;
    running = false;
    count(seen, fault);
    return clock.now();
  }

  /** Gives some runs less time than others, so that they can time out. */
  function limitTime(run: FunctionRun, process: Process, end: () => void): AbortSignal {
    const controller = new AbortController();
    if (!random.chance(shared.profile.timeout)) return controller.signal;
    const [from, to] = random.pick(LIMITS_MS);
    const limit = Math.min(random.int(from, to), functions[run.function].timeout_seconds * 1000);
    clock.at(run.began_at + limit, () => {
      if (run.ended || process.dead) return;
      run.aborted_at = clock.now();
      controller.abort(new Error('The function timed out.'));
      count(seen, 'function out of time');
      clock.at(clock.now() + GRACE_MS, () => {
        end();
        // Lambda stops the machine; on a single machine the run continues while its work is retried.
        if (!run.ended && !shared.profile.oneProcess) process.die();
      });
    });
    return controller.signal;
  }

  return {
    isRunning: () => running,
    /**
     * Runs a function once. Returns undefined if its process died, it threw, or it timed out.
     * @param batch lineages of the messages that it receives
     */
    invoke<T>(
      name: FunctionRun['function'],
      work: (handlers: Handlers, context: { signal: AbortSignal }) => Promise<T>,
      batch: readonly Lineage[] = [],
    ): Promise<{ reply: T; process: Process } | undefined> {
      const begun = begin();
      const { process, handlers } = begun;
      const lineage = invokedBy(name, batch);
      const run: FunctionRun = { id: seen.next(), function: name, lineage, began_at: clock.now(), ended: false };
      seen.runs.set(run.id, run);
      return new Promise((resolve) => {
        process.onDeath(() => resolve(undefined));
        const signal = limitTime(run, process, () => resolve(undefined));
        runContext
          .run(run, () => work(handlers, { signal }))
          .then(
            (reply) => resolve(process.dead ? undefined : { reply, process }),
            () => resolve(undefined),
          )
          .finally(() => {
            run.ended = true;
            if (shared.profile.oneProcess || process.dead) return;
            if (shared.profile.warm) idle.push(begun);
            else alive.delete(process);
          });
      });
    },
    /** Stops everything at once, for `ms`. */
    outage: (ms: number): void => {
      const from = stop('outage');
      if (from === undefined) return;
      for (const process of [...alive]) process.die();
      clock.at(from + ms, () => resume(from));
    },
    /**
     * Suspends the single machine until `to`. Work in progress continues then, and new work waits until the outage is
     * recorded.
     */
    suspend: (to: number): void => {
      const from = stop('machine asleep');
      if (from !== undefined) clock.at(to, () => resume(from, { suspended: true }));
    },
  };
}
