import type { AccountItem } from '#lib/access/account.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import { probeTimeout } from '#lib/checks/check-item.ts';
import { checkTypeOf } from '#lib/checks/types/registry.ts';
import type { Env, Ports } from '#lib/env.ts';
import type { Net } from '#lib/net/net.ts';
import type { Item } from '#lib/platform/ports.ts';
import { NO_PERMIT } from '#lib/platform/sharing/fair-semaphore.ts';
import { probeRoute } from '#lib/results/probe/network-health.ts';
import { hostOf, probeTarget, probingProcess } from '#lib/results/probe/probe.ts';
import type { UpstreamProbe } from './evidence.ts';

/** Maximum number of upstream probes per account and second; scheduled probes do not count. */
const MAX_PER_SECOND = 20;

type Second = { begins: number; counts: Map<string, number> };
const seconds = new WeakMap<Net, Second>();

/** Counts upstream probes of an account in this second and process. @returns false, without counting, over the limit */
function takeUpstreamProbes({ net, clock }: Pick<Ports, 'net' | 'clock'>, tenant: string, count: number): boolean {
  const begins = Math.floor(clock.now() / 1000);
  const known = seconds.get(net);
  const second = known?.begins === begins ? known : { begins, counts: new Map<string, number>() };
  seconds.set(net, second);
  const total = (second.counts.get(tenant) ?? 0) + count;
  if (total > MAX_PER_SECOND) return false;
  second.counts.set(tenant, total);
  return true;
}

/** Outcomes of upstream probes of an entity: only evidence, without effect on counters or states. Times in epoch ms. */
type UpstreamProbesItem = Item & {
  v: string;
  probed_at: number;
  /** End of the claim of a process that probes. */
  claimed_until: number;
  outcomes: Record<string, UpstreamProbe>;
};

/** Maximum duration of an upstream probe in ms; a longer one counts as a failure. */
const MAX_MS = 10_000;
/** Time in ms for which an outcome is shared; doubled while a process probes again. */
const SHARED_MS = 10_000;
/** Extra lifetime of a claim in ms. */
const CLAIM_SPARE_MS = 2_000;
/** Maximum wait for a permit in ms. */
const WAIT_MS = 1_000;
/** Maximum time in ms between two failures that count as consecutive. */
const MAX_DISTANCE_MS = 60_000;
/** Maximum number of probes per evaluation. */
const MAX_PROBES = 32;
const KEEP_SECONDS = 3600;

/** Whether a check can be probed: it is enabled, not a push check, and its probe has no side effects. */
export const isProbeable = (check: CheckItem): boolean =>
  check.execution_mode === 'pull' && check.enabled && checkTypeOf(check.check_type).isHarmless(check);

export type UpstreamProbes = Map<string, UpstreamProbe | 'running'>;

/** Entities to probe with their checks, the nearest first. */
type ProbeTargets = { entity_id: string; checks: CheckItem[] }[];

/**
 * Probes upstream entities now, or shares recent outcomes; `running` while another process probes. Checks that are down
 * or cannot be probed have no outcome.
 */
export async function probeUpstream(
  env: Env,
  account: Pick<AccountItem, 'id' | 'egress'>,
  entities: ProbeTargets,
): Promise<UpstreamProbes> {
  const { ports, keys } = env;
  const now = ports.clock.now();
  const stored = await ports.table.getMany<UpstreamProbesItem>(
    entities.map((one) => keys.upstreamProbes(account.id, one.entity_id)),
  );
  const probes: UpstreamProbes = new Map();
  const running: Promise<unknown>[] = [];
  let left = MAX_PROBES;
  for (const [i, { entity_id, checks }] of entities.entries()) {
    const item = stored[i];
    const probeable = checks.filter((check) => isProbeable(check) && check.state !== 'down');
    if (probeable.length === 0) continue;
    const isProbing = item !== undefined && item.claimed_until > now;
    if (item && now - item.probed_at < (isProbing ? 2 * SHARED_MS : SHARED_MS)) {
      for (const check of probeable) if (item.outcomes[check.id]) probes.set(check.id, item.outcomes[check.id]!);
      continue;
    }
    for (const check of probeable) probes.set(check.id, 'running');
    if (isProbing) continue;
    left -= probeable.length;
    if (left < 0 || !takeUpstreamProbes(ports, account.id, probeable.length)) {
      for (const check of probeable) probes.delete(check.id);
      continue;
    }
    const note = (outcomes: UpstreamProbesItem['outcomes'] | undefined) => {
      for (const { id } of outcomes ? probeable : []) {
        const probe = outcomes?.[id];
        if (probe) probes.set(id, probe);
        else probes.delete(id);
      }
    };
    running.push(probeEntity(env, account, { entity_id, checks: probeable, item }).then(note));
  }
  await Promise.all(running);
  return probes;
}

type OneEntity = { entity_id: string; checks: CheckItem[]; item: UpstreamProbesItem | undefined };

/** Probes an entity. @returns undefined if another process probes it */
async function probeEntity(
  { ports, keys }: Env,
  account: Pick<AccountItem, 'id' | 'egress'>,
  { entity_id, checks, item }: OneEntity,
): Promise<UpstreamProbesItem['outcomes'] | undefined> {
  const now = ports.clock.now();
  const v = ports.ids.token();
  const claim: UpstreamProbesItem = {
    ...keys.upstreamProbes(account.id, entity_id),
    v,
    probed_at: item?.probed_at ?? 0,
    outcomes: item?.outcomes ?? {},
    claimed_until: now + MAX_MS + WAIT_MS + CLAIM_SPARE_MS,
    expires_at: Math.floor(now / 1000) + KEEP_SECONDS,
  };
  const claimed = await ports.table.transact([{ put: claim, if: item ? { version: item.v } : 'absent' }]);
  if (!claimed.ok) return undefined;
  const outcomes: UpstreamProbesItem['outcomes'] = {};
  await Promise.all(
    checks.map(async (check) => {
      const probe = await probeCheck({ ports }, account, check, item);
      if (probe) outcomes[check.id] = probe;
    }),
  );
  const put: UpstreamProbesItem = { ...claim, v: ports.ids.token(), probed_at: now, claimed_until: 0, outcomes };
  await ports.table.transact([{ put, if: { version: v } }]);
  return outcomes;
}

/** Probes a check once; undefined without a permit, or if a network outage of the service may be the cause. */
async function probeCheck(
  { ports }: Pick<Env, 'ports'>,
  account: Pick<AccountItem, 'id' | 'egress'>,
  check: CheckItem,
  before: UpstreamProbesItem | undefined,
): Promise<UpstreamProbe | undefined> {
  const { lanes, network } = probingProcess(ports);
  const claim = { tenant: account.id, target: hostOf(check), until: ports.clock.now() + WAIT_MS };
  const timeout_ms = Math.min(probeTimeout(check), MAX_MS);
  const about = { check_id: check.id, upstream: true };
  const probe = () => probeTarget(ports, check, { account, tenant_id: account.id, timeout_ms, about });
  const probed = await lanes.quick.run(claim, () => lanes.begin(claim, probe));
  if (probed === NO_PERMIT || !probed) return undefined;
  const { started_at: began_at, outcome } = probed;
  const route = probeRoute(hostOf(check));
  const isUnanswered = outcome.unanswered === true;
  if (typeof route === 'object') network.record(route.host, !isUnanswered);
  if (isUnanswered && route !== 'this machine' && (network.wasDown(began_at) || (await network.isInDoubt()))) {
    return undefined;
  }
  const last = before?.outcomes[check.id];
  const isInRow = last && !last.success && began_at - last.began_at < MAX_DISTANCE_MS;
  return { success: outcome.success, began_at, since: isInRow ? last.since : began_at };
}
