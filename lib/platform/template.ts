/** Placeholders of a user's template: `{{name}}`. A value is escaped once and never parsed as a template. */
const PLACEHOLDER = /\{\{([\p{L}\p{N}_.-]{1,64})\}\}/gu;

export const VARIABLE_NAME = /^[\p{L}\p{N}_.-]{1,64}$/u;

export type Values = ReadonlyMap<string, string>;

export const replacePlaceholders = (text: string, by: string): string => text.replace(PLACEHOLDER, by);

export const hasPlaceholder = (text: string): boolean => text.search(PLACEHOLDER) >= 0;

export const placeholdersIn = (template: string): string[] =>
  [...template.matchAll(PLACEHOLDER)].map((match) => match[1]!);

/** Replaces placeholders that have a value. Undefined if the result up to the last placeholder exceeds `maxLength`. */
export function fill(
  template: string,
  values: Values,
  escaped: (value: string) => string,
  maxLength: number,
): string | undefined {
  let output = '';
  let done = 0;
  for (const match of template.matchAll(PLACEHOLDER)) {
    const value = values.get(match[1]!);
    output += template.slice(done, match.index) + (value === undefined ? match[0] : escaped(value));
    done = match.index + match[0].length;
    if (output.length > maxLength) return undefined;
  }
  return output + template.slice(done);
}

/** Sections that appear if a variable has a value: `{{#if name}}…{{/if}}`, nestable. No loops, else or code. */
const TAG = /\{\{#if ([\p{L}\p{N}_.-]{1,64})\}\}|\{\{\/if\}\}/gu;

const MAX_NESTING = 8;

/** Removes the sections whose variable has no value, and all tags. */
export function withSections(template: string, isFilled: (name: string) => boolean): string {
  let kept = '';
  let done = 0;
  const open: boolean[] = [];
  for (const match of template.matchAll(TAG)) {
    if (open.every(Boolean)) kept += template.slice(done, match.index);
    done = match.index + match[0].length;
    if (match[1] === undefined) open.pop();
    else open.push(isFilled(match[1]));
  }
  return kept + template.slice(done);
}

/** Returns the names of the variables in section conditions, in order. */
export const sectionsIn = (template: string): string[] =>
  [...template.matchAll(TAG)].flatMap((match) => match[1] ?? []);

export const withoutTags = (template: string): string => template.replace(TAG, '');

/** Returns the error in the sections of a template; undefined if they are valid. */
export function sectionProblem(template: string): string | undefined {
  const open: string[] = [];
  for (const [, name] of template.matchAll(TAG)) {
    if (name !== undefined) open.push(name);
    else if (open.pop() === undefined)
      return 'has a {{/if}} without {{#if name}}; remove it, or add {{#if name}} before it';
    if (open.length > MAX_NESTING) return `has more than ${MAX_NESTING} nested sections; flatten them`;
  }
  const last = open.at(-1);
  return last && `has {{#if ${last}}} without {{/if}}; add {{/if}} at its end`;
}
