import { shorten } from '#lib/platform/text.ts';

/** Of what was found so many characters are shown. */
export const MOST_SHOWN = 100;

/**
 * A JSON value as text of at most 100 characters, marked with an ellipsis where it was cut. It takes time for what it
 * shows, however large the value is.
 */
export function previewOf(value: unknown): string {
  let text = '';
  write(value);
  return shorten(text, MOST_SHOWN);

  function write(part: unknown): void {
    if (text.length > MOST_SHOWN) return;
    if (Array.isArray(part)) {
      text += '[';
      for (let i = 0; i < part.length && text.length <= MOST_SHOWN; i++) {
        if (i > 0) text += ',';
        write(part[i]);
      }
      text += ']';
    } else if (typeof part === 'object' && part !== null) {
      text += '{';
      let comma = '';
      for (const name in part) {
        if (text.length > MOST_SHOWN) return;
        text += `${comma}${JSON.stringify(name.slice(0, MOST_SHOWN))}:`;
        write((part as Record<string, unknown>)[name]);
        comma = ',';
      }
      text += '}';
    } else if (typeof part === 'string')
      text += JSON.stringify(part.length > MOST_SHOWN ? part.slice(0, MOST_SHOWN + 1) : part);
    // Numbers beyond all bounds too, of which JSON.stringify makes null.
    else text += String(part);
  }
}
