import type { Net } from '#lib/net/net.ts';
import type { Assets } from '#lib/platform/assets.ts';
import type { Bodies, Bus, Clock, Ids, Log, Metrics, Queues, Table } from '#lib/platform/ports.ts';
import type { Limiter } from '#lib/platform/sharing/rates.ts';
import { type Keys, keyTable } from './keys.ts';
import type { MessageBodies } from './messages.ts';
import type { Settings } from './settings.ts';

/**
 * What most rules take first: the ports, which are all they touch of the world, and the keys of the table. A queue
 * takes its own messages alone (lib/messages.ts).
 */
export type Env<Port extends keyof Ports = keyof Ports> = { ports: Pick<Ports<MessageBodies>, Port>; keys: Keys };

/** The environment of a function: its ports, with the keys as its settings lay them out. */
export const envOf = (ports: Ports): Env => ({ ports, keys: keyTable(ports.settings) });

/** Everything a function needs from the world. A function takes it as an argument and touches nothing else. */
export type Ports<Of extends Bodies = Bodies> = {
  table: Table;
  queues: Queues<Of>;
  bus: Bus;
  net: Net;
  clock: Clock;
  ids: Ids;
  log: Log;
  metrics: Metrics;
  limiter: Limiter;
  settings: Settings;
  assets: Assets;
};
