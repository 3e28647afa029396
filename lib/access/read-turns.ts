import { setImmediate } from 'node:timers/promises';
import { AppError } from '#lib/platform/errors.ts';
import type { Ports } from '#lib/platform/ports.ts';
import { FairShares, NO_PLACE } from '#lib/platform/sharing/fair-shares.ts';
import type { Context } from './context.ts';

/** Reads of one process that are worked on at once, and of one account. */
const TURNS = { places: 16, per_target: 2, wait_ms: 10_000 };

const turns = new WeakMap<Ports['limiter'], FairShares>();

/**
 * Runs a read of an account in its turn. Few run at once, as the longest lists take seconds of CPU, which must not slow
 * other accounts down. Throws RATE_LIMITED after waiting too long.
 */
export async function inReadTurn<T>({ ports, tenant }: Pick<Context, 'ports' | 'tenant'>, read: () => Promise<T>) {
  const shares = turns.get(ports.limiter) ?? new FairShares(TURNS, ports.clock);
  turns.set(ports.limiter, shares);
  let hasWaited = false;
  const turn = shares.run({ tenant, target: 'reads' }, async () => {
    // Else hundreds that waited for a long one would all be done in one turn of the event loop.
    if (hasWaited) await setImmediate();
    return read();
  });
  hasWaited = true;
  const answer = await turn;
  if (answer !== NO_PLACE) return answer;
  throw new AppError(
    'RATE_LIMITED',
    `Too many reads at once: ${TURNS.per_target} of an account are worked on at a time, and this one waited for ` +
      `${TURNS.wait_ms / 1000} s. Send the next when one was answered.`,
    { headers: { 'retry-after': '1' } },
  );
}
