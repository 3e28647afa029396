import type { CheckItem } from '#lib/checks/check-item.ts';
import type { Dependency } from './graph.ts';

/** Outcome of an upstream probe. Times in epoch ms. */
export type UpstreamProbe = {
  success: boolean;
  began_at: number;
  /** Start of the first of consecutive failures. */
  since: number;
};

/** Check of an upstream entity, with its evidence. */
export type KnownCheck = Pick<
  CheckItem,
  | 'id'
  | 'execution_mode'
  | 'enabled'
  | 'state'
  | 'consecutive_failures'
  | 'interval_seconds'
  | 'failure_threshold'
  | 'timeout_ms'
> & {
  /** Start of the failure if it is down (epoch ms). */
  failing_since?: number | undefined;
  /** Only for push checks: time at which the newest heartbeat was received (epoch ms). */
  heartbeat_at?: number | undefined;
  /** `running`: without an outcome yet. Absent: not probed, or cannot be probed. */
  probe?: UpstreamProbe | 'running' | undefined;
};

/** Source of a status, and its time (epoch ms). */
export type Evidence = { evidence: 'state' | 'result' | 'probe' | 'none'; known_at?: number | undefined };

/**
 * Status of an upstream entity. `no_data`: neither failed nor healthy. `confirmed`: whether states of checks suffice to
 * show the failure, without a probe. `since`: start of the failure (epoch ms).
 */
export type UpstreamStatus = Evidence &
  ({ status: 'failed'; confirmed: boolean; since: number } | { status: 'healthy' | 'no_data' });

/** Assumed outcome of a running probe. */
export type Assumption = 'success' | 'failure';

/** Status of a check of an upstream entity. `since`: start of its failure (epoch ms). */
type CheckStatus = Evidence & ({ is: 'down' | 'suspected'; since: number } | { is: 'healthy' | 'unknown' });

const UNKNOWN: CheckStatus = { is: 'unknown', evidence: 'none' };

/** Returns the time (ms) within which results of the check must confirm a failed upstream probe. */
const timeToConfirm = ({ failure_threshold, interval_seconds, timeout_ms }: KnownCheck): number =>
  (failure_threshold + 1) * interval_seconds * 1000 + timeout_ms;

function checkStatusOf(check: KnownCheck, after: number, assumed: Assumption, now: number): CheckStatus {
  const { state, failing_since = now } = check;
  // The newest heartbeat can report a failure that has not reached the threshold.
  const heartbeat_at = check.consecutive_failures === 0 ? check.heartbeat_at : undefined;
  if (state === 'down') return { is: 'down', since: failing_since, evidence: 'state', known_at: failing_since };
  const probe = check.probe === 'running' ? { success: assumed === 'success', began_at: now, since: now } : check.probe;
  const isNewer = probe !== undefined && (heartbeat_at === undefined || probe.began_at > heartbeat_at);
  if (isNewer && !probe.success) {
    const isOutdated = now > probe.since + timeToConfirm(check);
    return isOutdated ? UNKNOWN : { is: 'suspected', since: probe.since, evidence: 'probe', known_at: probe.began_at };
  }
  const evidence = probe?.success && isNewer ? 'probe' : 'result';
  const known_at = evidence === 'probe' ? probe?.began_at : heartbeat_at;
  return known_at !== undefined && known_at >= after ? { is: 'healthy', evidence, known_at } : UNKNOWN;
}

/**
 * Returns the status of an upstream entity: failed if all pull checks (without pull checks, all push checks) failed, or
 * any check if `when` is degraded; healthy if a probe succeeded or a heartbeat came since `after` (epoch ms). Pure.
 */
export function upstreamStatus(
  checks: readonly KnownCheck[],
  when: Dependency['when'],
  { after, assumed, now }: { after: number; assumed: Assumption; now: number },
): UpstreamStatus {
  const enabled = checks.filter((check) => check.enabled);
  const probed = enabled.filter((check) => check.execution_mode === 'pull');
  const all = enabled.map((check) => ({ check, status: checkStatusOf(check, after, assumed, now) }));
  const deciding = when === 'degraded' || probed.length === 0 ? all : all.filter(({ check }) => probed.includes(check));
  const failed = deciding.flatMap(({ status }) => (status.is === 'down' || status.is === 'suspected' ? [status] : []));
  const down = failed.filter(({ is }) => is === 'down');
  const hasFailed = when === 'degraded' ? failed.length > 0 : failed.length > 0 && failed.length === deciding.length;
  if (hasFailed) {
    const confirmed = when === 'degraded' ? down.length > 0 : down.length === deciding.length;
    // A probe is newer than the states of the checks.
    const { evidence, known_at } = failed.find(({ is }) => !confirmed && is === 'suspected') ?? down[0]!;
    return { status: 'failed', confirmed, since: Math.min(...failed.map(({ since }) => since)), evidence, known_at };
  }
  const healthy = all.find(({ status }) => status.is === 'healthy')?.status;
  return healthy
    ? { status: 'healthy', evidence: healthy.evidence, known_at: healthy.known_at }
    : { status: 'no_data', evidence: 'none' };
}
