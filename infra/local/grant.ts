import { type FunctionName, functions } from '#infra/topology.ts';
import type { Ports } from '#lib/env.ts';
import type { Freshness, Key, Write } from '#lib/platform/ports.ts';

/**
 * The ports as one function may use them, by the topology: what AWS would refuse it, one machine refuses too.
 * @throws from the calls that it may not make
 */
export function grant(ports: Ports, name: FunctionName): Ports {
  const { table: rights, sends, publishes } = functions[name];
  const insist = (may: boolean, what: string) => {
    if (!may) throw new Error(`The function ${name} may not ${what}. Its row in infra/topology.ts says what it may.`);
  };
  const { table, queues, bus } = ports;
  const readable = () => {
    insist(rights !== undefined, 'read the table');
    return table;
  };
  const rightFor = (write: Write) => ('delete' in write ? 'delete' : 'put');
  return {
    ...ports,
    table: {
      get: (key) => readable().get(key),
      getMany: (keys: Key[], how?: Freshness) => readable().getMany(keys, how),
      query: (query) => readable().query(query),
      putMany: async (items) => {
        insist(rights?.includes('put') === true, 'put items');
        return table.putMany(items);
      },
      transact: async (writes) => {
        for (const write of writes) insist(rights?.includes(rightFor(write)) === true, `${rightFor(write)} items`);
        return table.transact(writes);
      },
    },
    queues: {
      send: async (queue, messages) => {
        insist((sends as readonly string[]).includes(queue), `send to the queue ${queue}`);
        return queues.send(queue, messages);
      },
    },
    bus: {
      publish: async (events) => {
        insist(publishes === true, 'publish on the bus');
        return bus.publish(events);
      },
    },
  };
}
