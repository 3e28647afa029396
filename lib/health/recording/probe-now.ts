import type { Context } from '#lib/access/context.ts';
import type { CheckSettings } from '#lib/checks/check-item.ts';
import { AppError } from '#lib/platform/errors.ts';
import { NO_PLACE } from '#lib/platform/sharing/fair-shares.ts';
import { probeRoute } from '#lib/results/probe/own-network.ts';
import { hostOf, type Probed, probeBy, probeTimeout } from '#lib/results/probe/probe.ts';
import { probingProcess } from './probing-process.ts';

/** Whoever asked waits, and so does a gateway, which gives up after 30 s: a probe takes so long at most (ms). */
export const MOST_MS = 20_000;
/** How long one waits for its place (ms). */
const WAIT_MS = 2_000;

/** What is wrong here, for a while; it may be sent again. */
export const notNow = (message: string): AppError =>
  new AppError('UNAVAILABLE', message, { headers: { 'retry-after': '5' } });

/** `isCut`: it was given less time than its settings say. `isSilent`: no answer came over a network. */
type ProbedNow = Probed & { isCut: boolean; isSilent: boolean };

/**
 * Probes a target at once, for somebody who waits for it. It takes a place of the slow lane, so that no check whose
 * slot is due waits for it. Throws UNAVAILABLE where our own stall may be why it failed, RATE_LIMITED
 * where there is no place.
 * @param shows whether the outcome shows what the target said
 */
export async function probeNow(
  { ports, tenant, caller }: Context,
  check: CheckSettings,
  { shows = false, about }: { shows?: boolean; about: Record<string, unknown> },
): Promise<ProbedNow> {
  const { lanes, network } = probingProcess(ports);
  const host = hostOf(check);
  await network.lookAgain();
  const claim = { tenant, target: host, until: ports.clock.now() + WAIT_MS };
  const timeout_ms = Math.min(probeTimeout(check), MOST_MS);
  const probe = () => probeBy(ports, check, { account: caller, tenant_id: tenant, timeout_ms, shows, about });
  const probed = await lanes.slow.run(claim, () => lanes.begin(claim, probe));
  if (probed === NO_PLACE) {
    throw new AppError(
      'RATE_LIMITED',
      'Too many probes of this account, or to this host, are under way. Nothing was probed; try again in 2 s.',
      { headers: { 'retry-after': '2' } },
    );
  }
  if (!probed) throw notNow('The service itself stood still while it probed, so that nothing is known. Try again.');
  const route = probeRoute(host);
  const isSilent = probed.outcome.unanswered === true;
  if (typeof route === 'object') network.record(route.host, !isSilent);
  return { ...probed, isCut: timeout_ms < probeTimeout(check), isSilent: isSilent && route !== 'this machine' };
}
