export const toCsv = (rows: readonly (readonly string[])[]): string =>
  rows.map((cells) => cells.map(quoted).join(',')).join('\n');

const quoted = (cell: string): string => (/[",\t;\r\n]|^\s|\s$/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);
