import * as z from 'zod';

/** Control, invisible and text-reversing characters, except two joiners that some scripts and emoji need. */
const INVISIBLE = /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]/u;
const BLANK = /^[\s\u200c\u200d]*$/;
const SLUG = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;
/** Pattern of an id or slug for JSON Schema. */
export const ID_PATTERN = SLUG.source;
export const NAME_LENGTH = 200;

/** Returns a schema of text with `min` to `max` characters (code points). */
export const text = (min: number, max: number) =>
  z
    .string()
    .refine((value) => value.length >= min && (value.length <= max || [...value].length <= max), {
      error: min === 0 ? `must have at most ${max} characters` : `must have ${min} to ${max} characters`,
      abort: true,
    })
    .meta({ minLength: min, maxLength: max });

/** URL-safe identifier of a record, case-sensitive. */
export const Slug = z
  .string()
  .regex(SLUG, 'must have 1 to 64 letters, digits, ".", "_" or "-" and begin with a letter or digit');

/** Returns a schema of visible text with `min` to `max` characters on one line. */
export const line = (min: number, max: number) =>
  text(min, max).refine(
    (value) => !INVISIBLE.test(value),
    'must not contain line breaks, control or invisible characters',
  );

/** Returns a schema of visible text with `min` to `max` characters on any number of lines. */
export const lines = (min: number, max: number) =>
  text(min, max)
    .refine(
      (value) => !INVISIBLE.test(value.replace(/[\n\r\t]/g, ' ')),
      'must not contain control or invisible characters except line breaks and tabs',
    )
    .refine((value) => min === 0 || !BLANK.test(value), 'must not be blank');

export const Name = line(1, NAME_LENGTH).refine((value) => !BLANK.test(value), 'must not be blank');

export const NameOrNone = line(0, NAME_LENGTH).refine(
  (value) => value === '' || !BLANK.test(value),
  'must not be blank; an empty text removes it',
);

/** Whether a path segment can be an id or slug, and so part of a table key. */
export const isIdOrSlug = (value: string): boolean => SLUG.test(value);

/** Whether a path segment can be a name. */
export const isName = (value: string): boolean => Name.safeParse(value).success;

const folded = (text: string): string => text.normalize('NFC').toLowerCase();

/** Whether any of the texts contains `searched`, ignoring case. Pure. */
export const isFoundIn = (searched: string, texts: readonly (string | undefined)[]): boolean =>
  texts.some((text) => text !== undefined && folded(text).includes(folded(searched)));

/** Shortens a display text to `max` UTF-16 units, between two characters, with an ellipsis. */
export function shorten(text: string, max: number): string {
  if (text.length <= max) return text;
  const cut = text.slice(0, max - 1);
  return `${/[\uD800-\uDBFF]$/.test(cut) ? cut.slice(0, -1) : cut}…`;
}
