import * as z from 'zod';

/**
 * Line breaks, control characters, and what is not seen or turns the text around (bidi controls, tags): a name shows as
 * what it is. But for the two joiners, without which some scripts and many emoji fall apart.
 */
const INVISIBLE = /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]/u;
const BLANK = /^[\s\u200c\u200d]*$/;
const SLUG = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;
/** What an id or a slug looks like, as a pattern of JSON Schema. */
export const ID_PATTERN = SLUG.source;
/** The most characters of a name. */
export const NAME_LENGTH = 200;

/** Text of `min` to `max` characters; an emoji is one, not two. */
export const text = (min: number, max: number) =>
  z
    .string()
    .refine((value) => value.length >= min && (value.length <= max || [...value].length <= max), {
      error: min === 0 ? `must have at most ${max} characters` : `must have ${min} to ${max} characters`,
      abort: true,
    })
    .meta({ minLength: min, maxLength: max });

/** The URL-safe identifier of a record, case-sensitive. */
export const Slug = z
  .string()
  .regex(SLUG, 'must have 1 to 64 letters, digits, ".", "_" or "-" and begin with a letter or digit');

/** Text of `min` to `max` characters on one line, all of which are seen. */
export const line = (min: number, max: number) =>
  text(min, max).refine(
    (value) => !INVISIBLE.test(value),
    'must not contain line breaks, control or invisible characters',
  );

/** A label for people. */
export const Name = line(1, NAME_LENGTH).refine((value) => !BLANK.test(value), 'must not be blank');

/** The same, or an empty one, which takes away what there was. */
export const NameOrNone = line(0, NAME_LENGTH).refine(
  (value) => value === '' || !BLANK.test(value),
  'must not be blank; empty: it has none',
);

/** Whether a part of a path can be an id or a slug at all; the table's keys are made of it. */
export const isPlain = (value: string): boolean => SLUG.test(value);

/** Whether a part of a path can be a name at all. */
export const isName = (value: string): boolean => Name.safeParse(value).success;

const folded = (text: string): string => text.normalize('NFC').toLowerCase();

/** Whether some words are found in any of some texts, whatever their case. Pure. */
export const isFoundIn = (words: string, texts: readonly (string | undefined)[]): boolean =>
  texts.some((text) => text !== undefined && folded(text).includes(folded(words)));

/** A text for people of at most `max` UTF-16 units: cut between two characters, and marked with an ellipsis. */
export function shorten(text: string, max: number): string {
  if (text.length <= max) return text;
  const cut = text.slice(0, max - 1);
  return `${/[\uD800-\uDBFF]$/.test(cut) ? cut.slice(0, -1) : cut}…`;
}
