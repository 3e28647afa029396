import type { Net } from '#lib/net/net.ts';
import type { Assets } from '#lib/platform/assets.ts';
import type { Bodies, Bus, Clock, Files, Ids, Log, Metrics, Queues, Table } from '#lib/platform/ports.ts';
import type { Cpu } from '#lib/platform/sharing/cpu-budget.ts';
import type { Limiter } from '#lib/platform/sharing/rates.ts';
import { type Keys, keyTable } from './keys.ts';
import type { MessageBodies } from './messages.ts';
import type { Settings } from './settings.ts';

/** Table keys, and ports: the only access to the outside world. Queues accept only their own messages. */
export type Env<Port extends keyof Ports = keyof Ports> = { ports: Pick<Ports<MessageBodies>, Port>; keys: Keys };

/** Returns the environment of a function, with table keys for its SHARDS and BUCKETS. */
export const envOf = (ports: Ports): Env => ({ ports, keys: keyTable(ports.settings) });

export type Ports<Of extends Bodies = Bodies> = {
  table: Table;
  queues: Queues<Of>;
  bus: Bus;
  files: Files;
  net: Net;
  clock: Clock;
  ids: Ids;
  log: Log;
  metrics: Metrics;
  limiter: Limiter;
  cpu: Cpu;
  settings: Settings;
  assets: Assets;
};
