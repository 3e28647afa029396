import type { Env } from '#lib/env.ts';

/** A table that answers each read again as it did first: checks of a cell share packs, outages and the watermark. */
export function sharedReads<E extends Env>(env: E): E {
  const answers = new Map<string, Promise<unknown>>();
  const once = <Of, T>(read: (of: Of) => Promise<T>) =>
    ((of: Of) => {
      const name = JSON.stringify(of);
      const known = answers.get(name) ?? read(of);
      answers.set(name, known);
      return known;
    }) as typeof read;
  const { table } = env.ports;
  const shared = { get: once(table.get.bind(table)), query: once(table.query.bind(table)) };
  return { ...env, ports: { ...env.ports, table: { ...table, ...shared } } };
}
