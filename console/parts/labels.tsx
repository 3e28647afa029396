import { labelTerm } from '#console/rules/labels.ts';

/** Labels, each with a link to the checks that have it. */
export const Labels = ({ labels }: { labels: Readonly<Record<string, string>> }) => {
  const all = Object.entries(labels);
  if (all.length === 0) return null;
  return (
    <ul class="labels">
      {all.map(([key, value]) => (
        <li key={key}>
          <a dir="auto" href={`#/checks?label=${encodeURIComponent(labelTerm(key, value))}`}>
            {key}: {value}
          </a>
        </li>
      ))}
    </ul>
  );
};
