import type { Ports } from '#lib/platform/ports.ts';
import { type Keys, keyTable } from './keys.ts';
import type { MessageBodies } from './messages.ts';

/**
 * What most rules take first: the ports, which are all they touch of the world, and the keys of the table. A queue
 * takes its own messages alone (lib/messages.ts).
 */
export type Env<Port extends keyof Ports = keyof Ports> = { ports: Pick<Ports<MessageBodies>, Port>; keys: Keys };

/** The environment of a function: its ports, with the keys as its settings lay them out. */
export const envOf = (ports: Ports): Env => ({ ports, keys: keyTable(ports.settings) });
