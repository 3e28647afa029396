import { type Attribution, type OwnNetwork, probeRoute } from '#lib/results/probe/own-network.ts';
import type { Probe } from '#lib/results/slots/record-probe.ts';

/** Attributes the silence of targets in a batch: by the first answer, or at the end. */
export function batchVerdict(network: OwnNetwork) {
  const { promise: blame, resolve: settle } = Promise.withResolvers<Attribution>();
  return {
    blame,
    /** @param host where it went, as `hostOf` says */
    isSuspect({ outcome }: Probe, host: string | undefined): boolean {
      const way = probeRoute(host);
      if (way === 'this machine') return false;
      const isSilent = outcome.unanswered === true;
      // Our resolver may answer out of its memory, which says nothing of the network.
      if (way !== 'our resolver') {
        network.record(way.host, !isSilent);
        if (!isSilent) settle('target');
      }
      return isSilent;
    },
    async end(hasSuspects: boolean): Promise<void> {
      if (hasSuspects) settle(await network.attribute());
      await network.refreshReference();
    },
  };
}
