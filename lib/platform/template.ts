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

/**
 * Sections of a template that stand only where a variable holds something: `{{#if name}}…{{/if}}`, which may stand
 * within each other. Pure. No loops, no else, no code.
 */
const TAG = /\{\{#if ([\p{L}\p{N}_.-]{1,64})\}\}|\{\{\/if\}\}/gu;

/** Deeper ones nobody reads. */
const DEEPEST = 8;

/** A template with those sections alone whose variable is filled, their tags taken out. */
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

/** Names of the variables that its sections depend on, in their order. */
export const sectionsIn = (template: string): string[] =>
  [...template.matchAll(TAG)].flatMap((match) => match[1] ?? []);

/** A template without the tags of its sections. */
export const withoutTags = (template: string): string => template.replace(TAG, '');

/** What is wrong with the sections of a template, in words; undefined when nothing is. */
export function sectionProblem(template: string): string | undefined {
  const open: string[] = [];
  for (const [, name] of template.matchAll(TAG)) {
    if (name !== undefined) open.push(name);
    else if (open.pop() === undefined)
      return 'has a {{/if}} that closes nothing; remove it, or put {{#if name}} before';
    if (open.length > DEEPEST) return `has more than ${DEEPEST} sections within each other`;
  }
  const last = open.at(-1);
  return last && `has {{#if ${last}}} without its end; put {{/if}} where it ends`;
}
