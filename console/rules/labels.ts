type Labels = Readonly<Record<string, string>>;

/** What a change of labels sends, as they merge per key: null takes one away. What stays is left out. */
export const labelChanges = (before: Labels, after: Labels): Record<string, string | null> =>
  Object.fromEntries([
    ...Object.entries(after).filter(([key, value]) => before[key] !== value),
    ...Object.keys(before).flatMap((key) => (Object.hasOwn(after, key) ? [] : [[key, null]])),
  ]);

/** A label as lists are asked for it: `team:payments`. */
export const labelTerm = (key: string, value: string): string => `${key}:${value.replaceAll(',', '\\,')}`;

/** Labels as texts that are searched. */
export const labelText = (labels: Labels): string =>
  Object.entries(labels)
    .map(([key, value]) => `${key}:${value}`)
    .join('\n');

/** The labels that there are to choose from, as lists are asked for them. @param chosen is among them in any case */
export function labelChoices(all: Iterable<{ labels: Labels }>, chosen: string): string[] {
  const found = new Set(chosen === '' ? [] : [chosen]);
  for (const { labels } of all) for (const [key, value] of Object.entries(labels)) found.add(labelTerm(key, value));
  return [...found].sort();
}
