import { valueText } from '#console/rules/catalog.ts';
import { webUrl } from '#console/rules/web-url.ts';

/** Shows a field value; HTTP and HTTPS URLs are links. */
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
