import type { CheckItem } from '#lib/checks/check-item.ts';
import type { Dependency } from './graph.ts';

/** What an on-demand probe of a check found. Times in epoch ms. */
export type UpstreamProbe = {
  success: boolean;
  began_at: number;
  /** Of a failure: when the first of those in a row began. */
  since: number;
};

/** A check of an ancestor, and what is known of it. */
export type KnownCheck = Pick<
  CheckItem,
  'id' | 'execution_mode' | 'enabled' | 'state' | 'interval_seconds' | 'failure_threshold' | 'timeout_ms'
> & {
  /** Epoch ms: since when it fails, of one that is down. */
  failing_since?: number | undefined;
  /** Epoch ms: when its newest success began that was no answer to a question; of a push check, when it came. */
  succeeded_at?: number | undefined;
  /** `open`: the answer is still awaited. Absent: it was not asked, or cannot be. */
  asked?: UpstreamProbe | 'open' | undefined;
};

/** How something is known: by the state of checks, a result, an answer, or not at all; and of when (epoch ms). */
export type Evidence = { evidence: 'state' | 'result' | 'probe' | 'none'; known_at?: number | undefined };

/**
 * What is known of an ancestor. `no_data`: neither that it failed nor that it is well. A failure is confirmed by the
 * states of its checks, else it is suspected. `since`: epoch ms.
 */
export type UpstreamStatus = Evidence &
  ({ status: 'failed'; confirmed: boolean; since: number } | { status: 'healthy' | 'no_data' });

/** What an open answer is taken for. */
export type Assumption = 'success' | 'failure';

/** How a check stands, for whoever has been failing since `after` (epoch ms). */
type CheckStanding = Evidence & ({ is: 'down' | 'suspected'; since: number } | { is: 'well' | 'unknown' });

const UNKNOWN: CheckStanding = { is: 'unknown', evidence: 'none' };

/** Of a check that was asked and failed, while its own runs say nothing of it yet: how long (ms) they may take. */
const timeToConfirm = ({ failure_threshold, interval_seconds, timeout_ms }: KnownCheck): number =>
  (failure_threshold + 1) * interval_seconds * 1000 + timeout_ms;

function standingOf(check: KnownCheck, after: number, assumed: Assumption, now: number): CheckStanding {
  const { state, failing_since = now, succeeded_at } = check;
  if (state === 'down') return { is: 'down', since: failing_since, evidence: 'state', known_at: failing_since };
  const asked = check.asked === 'open' ? { success: assumed === 'success', began_at: now, since: now } : check.asked;
  const isNewer = asked !== undefined && (succeeded_at === undefined || asked.began_at > succeeded_at);
  if (isNewer && !asked.success) {
    const isVoid = now > asked.since + timeToConfirm(check);
    return isVoid ? UNKNOWN : { is: 'suspected', since: asked.since, evidence: 'probe', known_at: asked.began_at };
  }
  const evidence = asked?.success && isNewer ? 'probe' : 'result';
  const known_at = evidence === 'probe' ? asked?.began_at : succeeded_at;
  return known_at !== undefined && known_at >= after ? { is: 'well', evidence, known_at } : UNKNOWN;
}

/**
 * Pure: how an ancestor stands. It failed when all of its checks that probe did, or all of its push checks where it has
 * no others; with `when` degraded, when any check did. It is fine when one of its checks had a success since then.
 * @param after epoch ms: since when the dependent fails @param now epoch ms
 */
export function upstreamStatus(
  checks: readonly KnownCheck[],
  when: Dependency['when'],
  { after, assumed, now }: { after: number; assumed: Assumption; now: number },
): UpstreamStatus {
  const enabled = checks.filter((check) => check.enabled);
  const pulls = enabled.filter((check) => check.execution_mode === 'pull');
  const all = enabled.map((check) => ({ check, stands: standingOf(check, after, assumed, now) }));
  const deciding = when === 'degraded' || pulls.length === 0 ? all : all.filter(({ check }) => pulls.includes(check));
  const failed = deciding.flatMap(({ stands }) => (stands.is === 'down' || stands.is === 'suspected' ? [stands] : []));
  const isDown = failed.filter(({ is }) => is === 'down');
  const hasFailed = when === 'degraded' ? failed.length > 0 : failed.length > 0 && failed.length === deciding.length;
  if (hasFailed) {
    const confirmed = when === 'degraded' ? isDown.length > 0 : isDown.length === deciding.length;
    // An answer tells what the states of its checks do not tell yet.
    const { evidence, known_at } = failed.find(({ is }) => !confirmed && is === 'suspected') ?? isDown[0]!;
    return { status: 'failed', confirmed, since: Math.min(...failed.map(({ since }) => since)), evidence, known_at };
  }
  const well = all.find(({ stands }) => stands.is === 'well')?.stands;
  return well
    ? { status: 'healthy', evidence: well.evidence, known_at: well.known_at }
    : { status: 'no_data', evidence: 'none' };
}
