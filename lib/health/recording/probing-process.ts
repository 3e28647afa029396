import type { Net } from '#lib/net/net.ts';
import type { Ports } from '#lib/platform/ports.ts';
import { type Lanes, makeLanes } from '#lib/results/probe/lanes.ts';
import { type OwnNetwork, ownNetwork } from '#lib/results/probe/own-network.ts';

/** What all probes of a process share, whichever function makes them: places, and what is known of its network. */
export type ProbingProcess = { lanes: Lanes; network: OwnNetwork };

const processes = new WeakMap<Net, ProbingProcess>();

/** That of the process which goes out through this net. */
export function probingProcess(ports: Ports): ProbingProcess {
  const known = processes.get(ports.net) ?? { lanes: makeLanes(ports), network: ownNetwork(ports) };
  processes.set(ports.net, known);
  return known;
}
