import { disableAccount, enableAccount } from '#lib/access/change-account.ts';
import type { MutationContext } from '#lib/access/context.ts';
import { AppError } from '#lib/platform/errors.ts';
import type { DisabledTime } from '#test/oracle/inside.ts';
import type { Observations } from './observations.ts';

/** Disables an account, as an operator does, and enables it after `ms`. Retries each change while the disk is full. */
export async function disableAccountFor(scope: MutationContext, seen: Observations, ms: number): Promise<void> {
  const { now, sleep } = scope.ports.clock;
  const never = Number.POSITIVE_INFINITY;
  const stop: DisabledTime = {
    tenant: scope.tenant,
    from: now(),
    done: never,
    to: never,
    over: never,
    enabled_at: never,
  };
  seen.stops.push(stop);
  await persist(() => disableAccount(scope), sleep);
  stop.done = now();
  await sleep(ms);
  stop.to = now();
  stop.enabled_at = (await persist(() => enableAccount(scope), sleep)).enabled_at!;
  stop.over = now();
}

/** Retries a change until the store accepts it. */
async function persist<T>(work: () => Promise<T>, sleep: (ms: number) => Promise<void>): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof AppError && error.code === 'UNAVAILABLE')) throw error;
      await sleep(1000);
    }
  }
}
