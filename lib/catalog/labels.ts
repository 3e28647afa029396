import * as z from 'zod';
import { atMost } from '#lib/platform/http/json-size.ts';
import { parse } from '#lib/platform/http/validation.ts';
import { mergeMap } from '#lib/platform/plain-data.ts';
import { line } from '#lib/platform/text.ts';

const MAX_LABELS = 20;
/** What the key of a label looks like. */
export const LABEL_KEY = /^[a-z][a-z0-9_.-]{0,31}$/;
export const LABEL_KEY_RULE = 'must be 1 to 32 small letters, digits, "_", "." or "-" and begin with a letter';
const TOO_MANY = `must hold at most ${MAX_LABELS} labels`;
const Value = line(0, 100);

/** What somebody tags a thing with, to find it by: `{ team: 'payments' }`. */
export type Labels = Readonly<Record<string, string>>;

const mapTo = <V extends z.ZodType>(value: V) =>
  z.record(z.string(), value).superRefine((labels, context) => {
    for (const key of Object.keys(labels)) {
      if (!LABEL_KEY.test(key)) context.addIssue({ code: 'custom', path: [key], message: LABEL_KEY_RULE });
    }
  });

/** At most 20 labels, as a request states them. */
export const Labels = atMost(MAX_LABELS, mapTo(Value), TOO_MANY);

/** Changes of labels: they merge per key, and null removes one. As many as a change may take away and give. */
export const LabelChanges = atMost(2 * MAX_LABELS, mapTo(Value.nullable()), TOO_MANY).describe(
  'Merges per key; null removes a label.',
);

const WithLabels = z.object({ labels: Labels });

/** Labels with changes laid over them. Throws VALIDATION_ERROR for more than 20. */
export const changedLabels = (stored: Labels, changes: object = {}): Labels =>
  parse(WithLabels, { labels: mergeMap(stored, changes) }).labels;

/** One label that is looked for. */
type Term = { key: string; value: string };

/** Labels that are looked for: one of each list must be there. */
type WantedLabels = readonly (readonly Term[])[];

/** Whether labels are those that are looked for. */
export const hasLabels = (labels: Labels, wanted: WantedLabels): boolean =>
  wanted.every((some) => some.some(({ key, value }) => labels[key] === value));

/**
 * A query parameter that may be given several times: `label=team:payments`. Of several all must hold; a comma means or,
 * and one that belongs to a value is written `\,`.
 */
export const LabelFilter = z
  .array(z.string())
  .transform(
    (texts, context): WantedLabels =>
      texts.map((text) =>
        text.split(/(?<!\\),/).map((part) => {
          const colon = part.indexOf(':');
          const key = part.slice(0, colon);
          if (colon < 0 || !LABEL_KEY.test(key)) {
            const message = `must be a key and a value such as team:payments; a comma begins another one, "\\," is part of a value`;
            context.addIssue({ code: 'custom', message });
          }
          return { key, value: part.slice(colon + 1).replaceAll('\\,', ',') };
        }),
      ),
  )
  .describe(
    'Only those with this label: `team:payments`. A comma means or; given several times, all must hold. A comma in a value is written `\\,`.',
  );
