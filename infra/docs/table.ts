/** Formats a Markdown table with escaped cells. */
export const table = (heads: readonly string[], rows: readonly (readonly string[])[]): string =>
  [heads, heads.map(() => '---'), ...rows].map((cells) => `| ${cells.map(cell).join(' | ')} |`).join('\n');

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ');

export const block = (language: string, text: string): string => `\`\`\`${language}\n${text}\n\`\`\``;
