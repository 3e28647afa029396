/** Merges a map per key; null removes. What is no map is left for a schema to refuse. */
export function mergeMap(stored: Readonly<Record<string, unknown>>, patch: unknown): unknown {
  if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) return patch;
  return Object.fromEntries(Object.entries({ ...stored, ...patch }).filter(([, value]) => value !== null));
}
