/** Writes lines as CSV, separated by commas. */
export const toCsv = (lines: readonly (readonly string[])[]): string =>
  lines.map((cells) => cells.map(written).join(',')).join('\n');

const written = (cell: string): string => (/[",\t;\r\n]|^\s|\s$/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);
