import type { ProbeInput } from '#lib/checks/types/check-type.ts';
import type { Resolve } from '#lib/net/egress.ts';
import { makeNet } from '#lib/net/node-net.ts';
import { runInline, type TenantCpu } from '#lib/platform/sharing/cpu-budget.ts';
import { readSettings } from '#lib/settings.ts';

const unknownName: Resolve = async (name) => {
  throw Object.assign(new Error(`queryA ENOTFOUND ${name}`), { code: 'ENOTFOUND' });
};

/** Runs jobs in this thread, without a budget. */
export const unlimitedCpu: TenantCpu = (job, inputs) =>
  Promise.all(inputs.map(async (input) => (await runInline(job, input)).output));

/**
 * Returns the input of a probe that uses real sockets. It reaches only public addresses and 127.77.0.0/16. Names exist
 * only if `resolve` is given.
 */
export function probeWorld(more: Partial<Omit<ProbeInput, 'net'>> & { resolve?: Resolve } = {}): ProbeInput {
  const settings = readSettings({ CHECK_EGRESS: 'public', EGRESS_ALLOW: '127.77.0.0/16' });
  const { resolve = unknownName, ...world } = more;
  return { net: makeNet(settings, resolve), settings, timeout_ms: 2_000, now: Date.now(), cpu: unlimitedCpu, ...world };
}
