import type { AccountItem } from '#lib/access/account.ts';
import type { TenantEnv } from '#lib/access/context.ts';
import type { DecidedTransition } from '#lib/alerting/decide/transition.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import { newestReceived } from '#lib/results/pushes/newest-received.ts';
import type { KnownCheck } from './evidence.ts';
import { isProbeable, probeUpstream, type UpstreamProbes } from './probe-upstream.ts';
import type { UpstreamEntities } from './read-upstream.ts';
import { type CauseAnalysis, type Dependent, findRootCauses } from './root-causes.ts';

/**
 * Finds the cause of a failure, with upstream probes unless `isEnough` accepts the analysis of stored states.
 * @returns an analysis that is not `settled` while another process probes; evaluate again soon
 */
export async function findCause(
  env: TenantEnv,
  account: Pick<AccountItem, 'id' | 'egress'>,
  upstream: UpstreamEntities,
  dependent: Dependent,
  isEnough: (analysis: CauseAnalysis) => boolean,
): Promise<CauseAnalysis> {
  const { graph, checks } = upstream;
  const analyze = await analyzerOf(env, upstream, dependent);
  const known = analyze(new Map());
  if (isEnough(known)) return known;
  const targets = [...graph.dependencies.keys()].flatMap((entity_id) => {
    const own = checks.get(entity_id);
    return own?.some((check) => isProbeable(check) && check.state !== 'down') ? [{ entity_id, checks: own }] : [];
  });
  if (targets.length === 0) return known;
  return analyze(await probeUpstream(env, account, targets));
}

export const causeFromState = async (
  env: TenantEnv,
  upstream: UpstreamEntities,
  dependent: Dependent,
): Promise<CauseAnalysis> => (await analyzerOf(env, upstream, dependent))(new Map());

async function analyzerOf(
  env: TenantEnv,
  { graph, checks }: UpstreamEntities,
  dependent: Dependent,
): Promise<(probes: UpstreamProbes) => CauseAnalysis> {
  const received = await pushesOf(env, checks, dependent);
  return (probes) => {
    const known = new Map([...checks].map(([id, own]) => [id, own.map((check) => knownOf(check, probes, received))]));
    return findRootCauses({ graph, checks: known, dependent, now: env.ports.clock.now() });
  };
}

/** Returns a failed check as a dependent, with the start of its failure and of the healthy state before it. */
export function dependentOf(
  check: CheckItem,
  { check_from_state, check_from_since }: Pick<DecidedTransition, 'check_from_state' | 'check_from_since'>,
): Dependent {
  const failing_since = check.effective_at ?? Date.parse(check.state_since);
  const wasHealthy = check_from_state === 'up' || check_from_state === 'degraded';
  return {
    interval_seconds: check.interval_seconds,
    failing_since,
    up_since: wasHealthy ? Math.min(Date.parse(check_from_since), failing_since) : failing_since,
  };
}

/** Reads the time (epoch ms) at which each push check upstream last received a heartbeat. */
async function pushesOf(env: TenantEnv, checks: UpstreamEntities['checks'], { failing_since }: Dependent) {
  const pushChecks = [...checks.values()].flat().filter((check) => check.execution_mode === 'push' && check.enabled);
  const received = await Promise.all(
    pushChecks.map(async (check) => {
      const known = check.last_received?.received_at ?? 0;
      return known >= failing_since ? known : (await newestReceived(env, check))?.received_at;
    }),
  );
  return new Map(pushChecks.map((check, i) => [check.id, received[i]]));
}

const knownOf = (
  check: CheckItem,
  probes: UpstreamProbes,
  received: ReadonlyMap<string, number | undefined>,
): KnownCheck => ({
  ...check,
  failing_since: check.effective_at ?? Date.parse(check.state_since),
  heartbeat_at: received.get(check.id),
  probe: probes.get(check.id),
});
