import type { Values } from '#lib/platform/template.ts';

const BUILT_IN = [
  'execution_id',
  'action_id',
  'action_name',
  'timestamp',
  'entity_id',
  'entity_name',
  'check_id',
  'from_state',
  'to_state',
  'transition_id',
] as const;

/**
 * Values of the service's own variables (docs/use/actions.md#placeholders); those of a transition only where there is
 * one.
 */
export type BuiltIn = Partial<Record<(typeof BUILT_IN)[number], string>>;

/** What fills placeholders: `inHost` before the path of a URL, `elsewhere` in the rest of it and in the body. */
export type Variables = { inHost: Values; elsewhere: Values };

export const isBuiltIn = (name: string): boolean => BUILT_IN.some((one) => one === name);

/**
 * The variables of a run. Those given by the caller win, but not where the request goes: an action with
 * `{{entity_name}}.example.com` is to reach an entity's host, and no other.
 */
export function variablesOf(builtIn: BuiltIn, given: Record<string, string> = {}): Variables {
  const free = Object.entries(given).filter(([name]) => !isBuiltIn(name));
  return {
    inHost: new Map([...free, ...Object.entries(builtIn)]),
    elsewhere: new Map(Object.entries({ ...builtIn, ...given })),
  };
}
