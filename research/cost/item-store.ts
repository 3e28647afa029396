import { type Attributes, itemBytes } from '#test/support/item-size.ts';

export type Stored = { item: Attributes; bytes: number };
export type Address = { pk: string; sk: string };

/** Items in memory, each partition in order of its sort keys. */
export type ItemStore = {
  get(address: Address): Stored | undefined;
  put(item: Attributes): void;
  delete(address: Address): void;
  /** Sort keys of a partition, ascending. Must not be changed. */
  sortKeys(pk: string): readonly string[];
};

type Partition = { order: string[]; items: Map<string, Stored> };

export const addressOf = (attributes: Attributes): Address => ({ pk: attributes.pk!.S!, sk: attributes.sk!.S! });

/** Returns the number of sort keys before `sk`. */
export function positionOf(order: readonly string[], sk: string): number {
  let [low, high] = [0, order.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (order[middle]! < sk) low = middle + 1;
    else high = middle;
  }
  return low;
}

export function makeItemStore(): ItemStore {
  const partitions = new Map<string, Partition>();
  return {
    get: ({ pk, sk }) => partitions.get(pk)?.items.get(sk),
    put: (item) => {
      const { pk, sk } = addressOf(item);
      const partition = partitions.get(pk) ?? { order: [], items: new Map() };
      partitions.set(pk, partition);
      if (!partition.items.has(sk)) partition.order.splice(positionOf(partition.order, sk), 0, sk);
      partition.items.set(sk, { item, bytes: itemBytes(item) });
    },
    delete: ({ pk, sk }) => {
      const partition = partitions.get(pk);
      if (partition?.items.delete(sk)) partition.order.splice(positionOf(partition.order, sk), 1);
    },
    sortKeys: (pk) => partitions.get(pk)?.order ?? [],
  };
}
