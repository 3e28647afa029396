/**
 * Placeholders in the templates of an action. Pure. What a variable holds is text and stays text: it is escaped for the
 * place where it stands, once, and never read as a template itself. A placeholder that no variable fills is left.
 */
const PLACEHOLDER = /\{\{([\p{L}\p{N}_.-]{1,64})\}\}/gu;

/** What a variable may be called: letters, digits, `_`, `.` and `-`. */
export const VARIABLE_NAME = /^[\p{L}\p{N}_.-]{1,64}$/u;

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

/** Values of the service's own variables (docs/CONTRACT.md#actions); those of a transition only where there is one. */
export type BuiltIn = Partial<Record<(typeof BUILT_IN)[number], string>>;

type Values = ReadonlyMap<string, string>;

/** What fills placeholders: `inHost` before the path of a URL, `elsewhere` in the rest of it and in the body. */
export type Variables = { inHost: Values; elsewhere: Values };

export const isBuiltIn = (name: string): boolean => (BUILT_IN as readonly string[]).includes(name);

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

export const replacePlaceholders = (text: string, by: string): string => text.replace(PLACEHOLDER, by);

export const hasPlaceholder = (text: string): boolean => text.search(PLACEHOLDER) >= 0;

/** Names of the variables in a template, in their order. */
export const placeholdersIn = (template: string): string[] =>
  [...template.matchAll(PLACEHOLDER)].map((match) => match[1]!);

/**
 * A template with its variables; undefined when that is too long.
 * @param most length at which it gives up: a short template can ask for much
 */
export function fill(
  template: string,
  values: Values,
  escaped: (value: string) => string,
  most: number,
): string | undefined {
  let filled = '';
  let done = 0;
  for (const match of template.matchAll(PLACEHOLDER)) {
    const value = values.get(match[1]!);
    filled += template.slice(done, match.index) + (value === undefined ? match[0] : escaped(value));
    done = match.index + match[0].length;
    if (filled.length > most) return undefined;
  }
  return filled + template.slice(done);
}
