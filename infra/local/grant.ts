import { type FunctionName, functions } from '#infra/topology.ts';
import type { Ports } from '#lib/env.ts';
import type { Freshness, Key, Write } from '#lib/platform/ports.ts';

/** Restricts the ports to the permissions of a function, as AWS does. A call that is not permitted throws an Error. */
export function grant(ports: Ports, name: FunctionName): Ports {
  const { table: permissions, partitions, puts_into = partitions, sends, publishes, files: access } = functions[name];
  const permitted = partitions && patternOf(partitions);
  const writable = puts_into && patternOf(puts_into);
  const assertAllowed = (isAllowed: boolean, operation: string) => {
    if (!isAllowed) throw new Error(`The function ${name} may not ${operation}. See its entry in infra/topology.ts.`);
  };
  const { table, queues, bus, files } = ports;
  const readable = () => {
    assertAllowed(permissions !== undefined, 'read the table');
    return table;
  };
  const assertPartition = (pk: string, pattern = permitted) => {
    if (pattern && !pattern.test(pk)) assertAllowed(false, `access the partition ${kindOf(pk)}`);
  };
  const permissionFor = (write: Write) => ('delete' in write ? 'delete' : 'put');
  return {
    ...ports,
    table: {
      get: async (key) => {
        assertPartition(key.pk);
        return readable().get(key);
      },
      getMany: async (keys: Key[], how?: Freshness) => {
        for (const { pk } of keys) assertPartition(pk);
        return readable().getMany(keys, how);
      },
      query: async (query) => {
        assertPartition(query.partition);
        return readable().query(query);
      },
      putMany: async (items) => {
        assertAllowed(permissions?.includes('put') === true, 'put items');
        for (const { pk } of items) assertPartition(pk, writable);
        return table.putMany(items);
      },
      transact: async (writes) => {
        for (const write of writes) {
          assertAllowed(permissions?.includes(permissionFor(write)) === true, `${permissionFor(write)} items`);
          assertPartition(keyOf(write).pk, writable);
        }
        return table.transact(writes);
      },
    },
    queues: {
      send: async (queue, messages) => {
        assertAllowed((sends as readonly string[]).includes(queue), `send to the queue ${queue}`);
        return queues.send(queue, messages);
      },
    },
    bus: {
      publish: async (events) => {
        assertAllowed(publishes === true, 'publish on the bus');
        return bus.publish(events);
      },
    },
    files: {
      get: async (path) => {
        assertAllowed(access !== undefined, 'read published files');
        return files.get(path);
      },
      put: async (path, file) => {
        assertAllowed(access === 'write', 'write published files');
        return files.put(path, file);
      },
      remove: async (paths) => {
        assertAllowed(access === 'write', 'remove published files');
        return files.remove(paths);
      },
    },
  };
}

/** Returns an expression for patterns of letters, digits, `_` and `#`, in which `?` is one character, `*` any text. */
function patternOf(patterns: readonly string[]): RegExp {
  const sources = patterns.map((pattern) => pattern.replaceAll('?', '.').replaceAll('*', '.*'));
  return new RegExp(`^(?:${sources.join('|')})$`, 's');
}

const keyOf = (write: Write): Key => ('put' in write ? write.put : 'delete' in write ? write.delete : write.check);

/** Returns the kind of a partition, without ids and digests. */
const kindOf = (pk: string): string => pk.replaceAll(/#[^#]*[a-z][^#]*/g, '#…');
