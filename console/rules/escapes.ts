/** Text as it is typed on one line: line ends and what cannot be typed as escapes, `PING\r\n`, `\u0000`. */
export const escaped = (text: string): string =>
  JSON.stringify(text)
    .slice(1, -1)
    .replaceAll('\\"', '"')
    .replace(/[\u007f-\u00a0\u00ad]/g, (one) => `\\u00${one.charCodeAt(0).toString(16)}`);

/** What such a line means. With an escape that there is not, it is the text as it was typed. */
export function unescaped(line: string): string {
  try {
    return JSON.parse(`"${line.replace(/\\.|"/g, (one) => (one === '"' ? '\\"' : one))}"`);
  } catch {
    return line;
  }
}
