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

/** Values of built-in variables (docs/use/actions.md#placeholders); some exist only for a transition. */
export type BuiltIn = Partial<Record<(typeof BUILT_IN)[number], string>>;

/** Values of placeholders: `inHost` before the path of a URL, `elsewhere` in the rest of it and in the body. */
export type Variables = { inHost: Values; elsewhere: Values };

export const isBuiltIn = (name: string): boolean => BUILT_IN.some((one) => one === name);

/**
 * Returns the variables of an execution. Variables of the caller override built-in ones, except in the host: an action
 * with `{{entity_name}}.example.com` must reach only the entity's host.
 */
export function variablesOf(builtIn: BuiltIn, given: Record<string, string> = {}): Variables {
  const custom = Object.entries(given).filter(([name]) => !isBuiltIn(name));
  return {
    inHost: new Map([...custom, ...Object.entries(builtIn)]),
    elsewhere: new Map(Object.entries({ ...builtIn, ...given })),
  };
}
