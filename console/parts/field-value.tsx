import { valueText } from '#console/rules/catalog.ts';
import { webUrl } from '#console/rules/web-url.ts';

/** A value of a field of an entity; an http or https URL is a link. */
export function FieldValue({ value }: { value: unknown }) {
  const url = webUrl(value);
  const text = valueText(value);
  if (text === '') return <span class="hint">–</span>;
  if (url === undefined) return <span dir="auto">{text}</span>;
  return (
    <a href={url} target="_blank" rel="noopener noreferrer">
      {text}
    </a>
  );
}
