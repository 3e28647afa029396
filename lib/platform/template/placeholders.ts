/**
 * Placeholders in a template that a user wrote: `{{name}}`. Pure. What a variable holds is text and stays text: it is
 * escaped for the place where it stands, once, and never read as a template itself.
 */
const PLACEHOLDER = /\{\{([\p{L}\p{N}_.-]{1,64})\}\}/gu;

/** What a variable may be called: letters, digits, `_`, `.` and `-`. */
export const VARIABLE_NAME = /^[\p{L}\p{N}_.-]{1,64}$/u;

export type Values = ReadonlyMap<string, string>;

export const replacePlaceholders = (text: string, by: string): string => text.replace(PLACEHOLDER, by);

export const hasPlaceholder = (text: string): boolean => text.search(PLACEHOLDER) >= 0;

/** Names of the variables in a template, in their order. */
export const placeholdersIn = (template: string): string[] =>
  [...template.matchAll(PLACEHOLDER)].map((match) => match[1]!);

/**
 * A template with its variables; undefined when that is too long. A placeholder that no variable fills is left.
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
