import * as z from 'zod';
import { atMost } from '#lib/platform/http/json-size.ts';
import { parse } from '#lib/platform/http/validation.ts';
import { mergeMap } from '#lib/platform/plain-data.ts';
import { line } from '#lib/platform/text.ts';

const MAX_LABELS = 20;
export const LABEL_KEY = /^[a-z][a-z0-9_.-]{0,31}$/;
export const LABEL_KEY_RULE = 'must be 1 to 32 lower-case letters, digits, "_", "." or "-" and begin with a letter';
const TOO_MANY = `must have at most ${MAX_LABELS} labels`;
const Value = line(0, 100);

/** Labels of an entity or check: `{ team: 'payments' }`. */
export type Labels = Readonly<Record<string, string>>;

const mapTo = <V extends z.ZodType>(value: V) =>
  z.record(z.string(), value).superRefine((labels, context) => {
    for (const key of Object.keys(labels)) {
      if (!LABEL_KEY.test(key)) context.addIssue({ code: 'custom', path: [key], message: LABEL_KEY_RULE });
    }
  });

export const Labels = atMost(MAX_LABELS, mapTo(Value), TOO_MANY);

/** Changes of labels, merged per key; null removes one. At most 40, enough to replace all. */
export const LabelChanges = atMost(
  2 * MAX_LABELS,
  mapTo(Value.nullable()),
  `must have at most ${2 * MAX_LABELS} changes`,
).describe('Labels merged per key; null removes one.');

const WithLabels = z.object({ labels: Labels });

/** Applies changes to labels. Throws VALIDATION_ERROR for more than 20. */
export const changedLabels = (stored: Labels, changes: object = {}): Labels =>
  parse(WithLabels, { labels: mergeMap(stored, changes) }).labels;

type Term = { key: string; value: string };

type WantedLabels = readonly (readonly Term[])[];

/** Whether labels match a filter. */
export const hasLabels = (labels: Labels, wanted: WantedLabels): boolean =>
  wanted.every((alternatives) => alternatives.some(({ key, value }) => labels[key] === value));

/** Repeatable parameter `label=team:payments`: all must match. A comma means or; `\,` is a comma in a value. */
export const LabelFilter = z
  .array(z.string())
  .transform(
    (texts, context): WantedLabels =>
      texts.map((text) =>
        text.split(/(?<!\\),/).map((part) => {
          const colon = part.indexOf(':');
          const key = part.slice(0, colon);
          if (colon < 0 || !LABEL_KEY.test(key)) {
            const message =
              'must be a key and a value, such as team:payments; a comma separates alternatives, "\\," is a comma in a value';
            context.addIssue({ code: 'custom', message });
          }
          return { key, value: part.slice(colon + 1).replaceAll('\\,', ',') };
        }),
      ),
  )
  .describe(
    'Only with this label: `team:payments`. A comma means or, `\\,` is a comma in a value; if repeated, all must match.',
  );
