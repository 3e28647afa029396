import type { AccountItem } from '#lib/access/account.ts';
import type { TenantEnv } from '#lib/access/context.ts';
import type { NotifiedFailureItem } from '#lib/alerting/decide/notified-failure.ts';
import type { DecidedTransition } from '#lib/alerting/decide/transition.ts';
import type { EntityItem } from '#lib/catalog/entity.ts';
import { relationsFrom } from '#lib/catalog/relations/relation-store.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import { checksOf } from '#lib/checks/settings/store.ts';
import { newestReceived } from '#lib/results/pushes/newest-received.ts';
import type { KnownCheck } from './evidence.ts';
import { type Dependency, type Graph, walkUpstream } from './graph.ts';
import { isProbeable, probeUpstream, type UpstreamProbes } from './probe-upstream.ts';
import { type CauseAnalysis, type Dependent, findRootCauses } from './root-causes.ts';

/** What an entity depends on, as it stands. */
export type UpstreamEntities = {
  graph: Graph;
  /** With the entity itself. */
  entities: ReadonlyMap<string, EntityItem>;
  /** By entity; without those of the entity itself. */
  checks: ReadonlyMap<string, CheckItem[]>;
  /** By entity, with the entity itself: failures that somebody may have been told of. */
  incidents: ReadonlyMap<string, NotifiedFailureItem>;
};

/** Reads what an entity depends on: entities, relations, checks, incidents. */
export async function readUpstream(env: TenantEnv, start: string): Promise<UpstreamEntities> {
  const { ports, keys, tenant } = env;
  const entities = new Map<string, EntityItem>();
  const graph = await walkUpstream(start, async (ids) => {
    const found = await ports.table.getMany<EntityItem>(ids.map((id) => keys.entity(tenant, id)));
    for (const entity of found) if (entity) entities.set(entity.id, entity);
    return Promise.all(found.map((entity) => entity && dependenciesOf(env, entity)));
  });
  const above = [...entities.values()].filter(({ id }) => id !== start);
  const [checks, incidents] = await Promise.all([
    checksOf(env, above),
    ports.table.getMany<NotifiedFailureItem>([...entities.keys()].map((id) => keys.notifiedFailure(tenant, id))),
  ]);
  return {
    graph,
    entities,
    checks: Map.groupBy(checks, ({ entity_id }) => entity_id),
    incidents: new Map(incidents.flatMap((one) => (one ? [[one.root_entity_id, one]] : []))),
  };
}

const dependenciesOf = async (env: TenantEnv, { id, dependencies }: EntityItem): Promise<Dependency[]> =>
  dependencies === 0 ? [] : (await relationsFrom(env, id)).filter(({ propagates_failure }) => propagates_failure);

/**
 * Whether a failure follows from those of what its entity depends on. Where what is known does not tell, what may be
 * asked is asked; only `isEnough` of what is known already spares that.
 * @returns not settled when somebody else asks, whose answer will be there in a moment
 */
export async function findCause(
  env: TenantEnv,
  account: Pick<AccountItem, 'id' | 'egress'>,
  ancestry: UpstreamEntities,
  dependent: Dependent,
  isEnough: (verdict: CauseAnalysis) => boolean,
): Promise<CauseAnalysis> {
  const { graph, checks } = ancestry;
  const judgeWith = await judging(env, ancestry, dependent);
  const known = judgeWith(new Map());
  if (isEnough(known)) return known;
  const nearest = [...graph.dependencies.keys()].flatMap((entity_id) => {
    const own = checks.get(entity_id);
    return own?.some((check) => isProbeable(check) && check.state !== 'down') ? [{ entity_id, checks: own }] : [];
  });
  if (nearest.length === 0) return known;
  return judgeWith(await probeUpstream(env, account, nearest));
}

/** What explains a failure by what is known: nobody is asked. */
export const causeFromState = async (
  env: TenantEnv,
  ancestry: UpstreamEntities,
  dependent: Dependent,
): Promise<CauseAnalysis> => (await judging(env, ancestry, dependent))(new Map());

/** Judges a failure by what is known, and by answers beside that. */
async function judging(
  env: TenantEnv,
  { graph, checks }: UpstreamEntities,
  dependent: Dependent,
): Promise<(answers: UpstreamProbes) => CauseAnalysis> {
  const heard = await pushesOf(env, checks, dependent);
  return (answers) => {
    const known = new Map([...checks].map(([id, own]) => [id, own.map((check) => knownOf(check, answers, heard))]));
    return findRootCauses({ graph, checks: known, dependent, now: env.ports.clock.now() });
  };
}

/** A failure, with when it began and what was before that. */
export function dependentOf(
  check: CheckItem,
  { check_from_state, check_from_since }: Pick<DecidedTransition, 'check_from_state' | 'check_from_since'>,
): Dependent {
  const failing_since = check.effective_at ?? Date.parse(check.state_since);
  const wasWell = check_from_state === 'up' || check_from_state === 'degraded';
  return {
    interval_seconds: check.interval_seconds,
    failing_since,
    up_since: wasWell ? Math.min(Date.parse(check_from_since), failing_since) : failing_since,
  };
}

/** When push checks of entities that nobody can ask were heard of last (epoch ms). */
async function pushesOf(env: TenantEnv, checks: UpstreamEntities['checks'], { failing_since }: Dependent) {
  const silent = [...checks.values()].flat().filter((check) => check.execution_mode === 'push' && check.enabled);
  const heard = await Promise.all(
    silent.map(async (check) => {
      const known = check.last_received?.received_at ?? 0;
      return known >= failing_since ? known : (await newestReceived(env, check))?.received_at;
    }),
  );
  return new Map(silent.map((check, i) => [check.id, heard[i]]));
}

const knownOf = (
  check: CheckItem,
  answers: UpstreamProbes,
  heard: ReadonlyMap<string, number | undefined>,
): KnownCheck => ({
  ...check,
  failing_since: check.effective_at ?? Date.parse(check.state_since),
  succeeded_at: heard.get(check.id),
  asked: answers.get(check.id),
});
