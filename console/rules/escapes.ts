/** Escapes line ends and control characters, for a text on one line: `PING\r\n`, `\u0000`. */
export const escaped = (text: string): string =>
  JSON.stringify(text)
    .slice(1, -1)
    .replaceAll('\\"', '"')
    .replace(/[\u007f-\u00a0\u00ad]/g, (one) => `\\u00${one.charCodeAt(0).toString(16)}`);

/** Resolves the escapes of a line; returns it unchanged if one is invalid. */
export function unescaped(line: string): string {
  try {
    return JSON.parse(`"${line.replace(/\\.|"/g, (one) => (one === '"' ? '\\"' : one))}"`);
  } catch {
    return line;
  }
}
