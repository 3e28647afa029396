import type { Net } from '#lib/net/net.ts';
import type { Ports } from '#lib/platform/ports.ts';

/** Probes that an account may be asked in a second, beside those of its checks. */
const A_SECOND = 20;

type Second = { begins: number; asked: Map<string, number> };
const seconds = new WeakMap<Net, Second>();

/** Whether so many checks of an account may be asked now; counted in this process. */
export function mayAsk({ net, clock }: Pick<Ports, 'net' | 'clock'>, tenant: string, count: number): boolean {
  const begins = Math.floor(clock.now() / 1000);
  const known = seconds.get(net);
  const second = known?.begins === begins ? known : { begins, asked: new Map<string, number>() };
  seconds.set(net, second);
  const asked = (second.asked.get(tenant) ?? 0) + count;
  if (asked > A_SECOND) return false;
  second.asked.set(tenant, asked);
  return true;
}
