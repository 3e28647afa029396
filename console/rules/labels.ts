type Labels = Readonly<Record<string, string>>;

/** Returns the changes of labels, which the API merges per key: null removes a label. */
export const labelChanges = (before: Labels, after: Labels): Record<string, string | null> =>
  Object.fromEntries([
    ...Object.entries(after).filter(([key, value]) => before[key] !== value),
    ...Object.keys(before).flatMap((key) => (Object.hasOwn(after, key) ? [] : [[key, null]])),
  ]);

/** Returns a label as a filter term: `team:payments`. */
export const labelTerm = (key: string, value: string): string => `${key}:${value.replaceAll(',', '\\,')}`;

/** Returns labels as searchable text. */
export const labelText = (labels: Labels): string =>
  Object.entries(labels)
    .map(([key, value]) => `${key}:${value}`)
    .join('\n');

/** Lists all labels as filter terms. @param chosen term that is always included */
export function labelChoices(all: Iterable<{ labels: Labels }>, chosen: string): string[] {
  const found = new Set(chosen === '' ? [] : [chosen]);
  for (const { labels } of all) for (const [key, value] of Object.entries(labels)) found.add(labelTerm(key, value));
  return [...found].sort();
}
