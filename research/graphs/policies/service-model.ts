import { type CauseProgress, decideByCause, MIN_SETTLING_MS, NO_PROGRESS } from '#lib/alerting/cause/cause-decision.ts';
import type { KnownCheck } from '#lib/alerting/cause/evidence.ts';
import { type Graph, walkUpstream } from '#lib/alerting/cause/graph.ts';
import { type CauseAnalysis, findRootCauses } from '#lib/alerting/cause/root-causes.ts';
import type { NotifiedFailure } from '#lib/alerting/decide/notified-failure.ts';
import { type CheckStatus, runChecks } from '#research/graphs/runs.ts';
import { failsAt } from '#research/graphs/truth.ts';
import { type Entity, TIMEOUT_MS } from '#research/graphs/world.ts';
import { type Alert, alerter, COOLDOWN_MS, type Policy, type Scene } from './policy.ts';

/** Time for which a probe result is shared. */
const SHARED_MS = 10_000;
/** Maximum time between two failed probes in a row; `ProbeResult.since` is the start of the first one. */
const ROW_MS = 60_000;
/** Number of pages within the window after which further alerts have low urgency. */
const MAX_PAGES = 5;
const WINDOW_MS = 300_000;
const TEAM = 'team';

type ProbeResult = { began: number; success: boolean; since: number; known_at: number };
type Held = { down_at: number; progress: CauseProgress; recheck_at: number };

/** Policy of the service in a modeled world. */
export const serviceModel: Policy = {
  name: 'service, model',
  simulate: async (scene) => {
    const graphs = await graphsOf(scene);
    return { alerts: new Model(scene, graphs).simulate() };
  },
};

async function graphsOf({ world, truth }: Scene): Promise<Map<string, Graph>> {
  const load = async (ids: string[]) => ids.map((id) => world.declared.get(id));
  return new Map(await Promise.all([...truth.keys()].map(async (id) => [id, await walkUpstream(id, load)] as const)));
}

class Model {
  readonly #scene: Scene;
  readonly #graphs: Map<string, Graph>;
  readonly #sent: Alert[] = [];
  readonly #held = new Map<string, Held>();
  readonly #notifiedFailures = new Map<string, NotifiedFailure>();
  readonly #results = new Map<string, ProbeResult>();
  #statuses!: Map<string, CheckStatus>;
  #alerts!: ReturnType<typeof alerter>;

  constructor(scene: Scene, graphs: Map<string, Graph>) {
    this.#scene = scene;
    this.#graphs = graphs;
  }

  simulate(): Alert[] {
    const { world, truth, agenda, end } = this.#scene;
    this.#alerts = alerter(
      this.#scene,
      (id) => this.#isDown(id),
      (id) => this.#due(id),
    );
    const changed = (entity: Entity, status: CheckStatus): void => {
      if (status.state === 'down') {
        this.#opened(entity.id, status.failing_since);
        this.#alerts.attempt(entity.id);
      } else this.#recovered(entity.id);
    };
    this.#statuses = runChecks(world, truth, agenda, { changed }, end).statuses;
    agenda.until(end + COOLDOWN_MS);
    return this.#sent;
  }

  #isDown(id: string): boolean {
    return this.#statuses.get(id)?.state === 'down';
  }

  #opened(id: string, since: number): void {
    const notified_at = this.#notifiedFailures.get(id)?.notified_at ?? {};
    this.#notifiedFailures.set(id, { root_entity_id: id, since, notified_at });
  }

  #recovered(id: string): void {
    const { agenda } = this.#scene;
    this.#held.delete(id);
    const failure = this.#notifiedFailures.get(id);
    if (failure) this.#notifiedFailures.set(id, { ...failure, recovered_at: agenda.now });
    for (const waiting of this.#held.keys())
      if (this.#graphs.get(waiting)!.dependencies.has(id)) agenda.at(agenda.now, () => this.#evaluate(waiting));
  }

  /** Handles an alert that is due by all other rules. */
  #due(id: string): void {
    if (this.#scene.world.declared.get(id)!.length === 0) return void this.#send(id, 'high');
    if (this.#held.has(id)) return;
    const { now } = this.#scene.agenda;
    this.#held.set(id, { down_at: now, progress: NO_PROGRESS, recheck_at: now });
    this.#evaluate(id);
  }

  #evaluate(id: string): void {
    const { agenda } = this.#scene;
    const held = this.#held.get(id);
    if (!held) return;
    const analysis = this.#analyzeCause(id);
    const next = this.#nextResultAt(id);
    if (!analysis.settled && next !== undefined) return void agenda.at(next, () => this.#evaluate(id));
    const entity = this.#scene.world.entities.get(id)!;
    const decision = decideByCause({
      progress: held.progress,
      analysis,
      waiting: [TEAM],
      notifiedFailures: this.#notifiedFailures,
      pending: new Map([...this.#held].map(([one, { recheck_at }]) => [one, recheck_at])),
      windows: new Map(),
      recoveries: this.#recoveries(id, held.down_at),
      down_at: held.down_at,
      cooldown_ms: COOLDOWN_MS,
      settle_ms: Math.max(MIN_SETTLING_MS, entity.threshold * entity.interval_ms + TIMEOUT_MS),
      firstResultBy: (time) =>
        entity.phase_ms + Math.ceil((time - entity.phase_ms) / entity.interval_ms) * entity.interval_ms + TIMEOUT_MS,
      now: agenda.now,
    });
    held.progress = decision.progress;
    for (const { urgency } of decision.notify) this.#send(id, urgency, decision.root ?? undefined);
    if (decision.recheck_at === undefined) this.#held.delete(id);
    else {
      held.recheck_at = decision.recheck_at;
      agenda.at(decision.recheck_at, () => this.#evaluate(id));
    }
  }

  #send(id: string, wanted: 'high' | 'low', root?: string): void {
    const { now } = this.#scene.agenda;
    const last = this.#notifiedFailures.get(id)?.notified_at[TEAM]?.at(-1);
    const isFolded = last !== undefined && now - last < WINDOW_MS;
    const pages = this.#sent.filter((one) => one.urgency === 'high' && now - one.at < WINDOW_MS);
    const urgency = isFolded || pages.length >= MAX_PAGES ? 'low' : wanted;
    this.#alerts.note(id);
    this.#sent.push({ at: now, entity: id, urgency, ...(root !== undefined && { root }) });
    for (const about of root === undefined ? [id] : [id, root]) {
      const before = this.#notifiedFailures.get(about) ?? { root_entity_id: about, since: now, notified_at: {} };
      this.#notifiedFailures.set(about, { ...before, notified_at: { [TEAM]: [now] } });
    }
  }

  /** Returns the times at which dependencies recovered after the entity went down. */
  #recoveries(id: string, down_at: number): Map<string, number> {
    return new Map(
      [...this.#graphs.get(id)!.dependencies.keys()].flatMap((one) => {
        const at = this.#statuses.get(one)?.recovered_at;
        return at === undefined || at < down_at ? [] : [[one, at] as const];
      }),
    );
  }

  /** Returns the time of the next awaited probe result; undefined if none is awaited. */
  #nextResultAt(id: string): number | undefined {
    const { now } = this.#scene.agenda;
    const open = [...this.#graphs.get(id)!.dependencies.keys()].flatMap((one) => {
      const result = this.#results.get(one);
      return result && result.known_at > now ? [result.known_at] : [];
    });
    return open.length > 0 ? Math.min(...open) : undefined;
  }

  #analyzeCause(id: string): CauseAnalysis {
    const { agenda } = this.#scene;
    const graph = this.#graphs.get(id)!;
    const own = this.#statuses.get(id)!;
    const interval_seconds = this.#scene.world.entities.get(id)!.interval_ms / 1000;
    const dependent = { interval_seconds, failing_since: own.failing_since, up_since: own.up_since };
    const checks = new Map(
      [...graph.dependencies.keys()].filter((one) => one !== id).map((one) => [one, this.#known(one)] as const),
    );
    return findRootCauses({ graph, checks, dependent, now: agenda.now });
  }

  #known(id: string): KnownCheck[] {
    const { world, agenda } = this.#scene;
    const entity = world.entities.get(id)!;
    const own = this.#statuses.get(id);
    if (entity.checked === 'none' || !own) return [];
    const isPush = entity.checked === 'push';
    const result = isPush || own.state === 'down' ? undefined : this.#probe(entity);
    const isRunning = result !== undefined && result.known_at > agenda.now;
    const check: KnownCheck = {
      id,
      execution_mode: isPush ? 'push' : 'pull',
      enabled: true,
      state: own.state,
      consecutive_failures: 0,
      interval_seconds: entity.interval_ms / 1000,
      failure_threshold: entity.threshold,
      timeout_ms: TIMEOUT_MS,
      failing_since: own.failing_since,
      heartbeat_at: isPush && !failsAt(this.#scene.truth, id, agenda.now) ? agenda.now : own.succeeded_at,
      probe: isRunning ? 'running' : result && { success: result.success, began_at: result.began, since: result.since },
    };
    return [check];
  }

  #probe(entity: Entity): ProbeResult {
    const { agenda, truth } = this.#scene;
    const { now } = agenda;
    const before = this.#results.get(entity.id);
    if (before && (before.known_at > now || now - before.began < SHARED_MS)) return before;
    const success = !failsAt(truth, entity.id, now);
    const isInRow = before && !before.success && now - before.began < ROW_MS;
    const result = {
      began: now,
      success,
      since: isInRow ? before.since : now,
      known_at: now + (success ? 50 : entity.fails_in_ms),
    };
    this.#results.set(entity.id, result);
    return result;
  }
}
