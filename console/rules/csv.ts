export type CsvLine = {
  /** Number of its first line in the text, from 1. */
  line: number;
  cells: string[];
};

/** Parses CSV (RFC 4180). The first line sets the separator: tab, comma or semicolon. Throws if a quote is invalid. */
export function parseCsv(text: string): CsvLine[] {
  const separator = separatorOf(text);
  const lines: CsvLine[] = [];
  let line = 1;
  for (let at = 0; at < text.length; ) {
    const begin = line;
    const cells: string[] = [];
    for (let ended = false; !ended; ) {
      const cell = text[at] === '"' ? quoted(text, at, line, separator) : plain(text, at, separator);
      cells.push(cell.value);
      line += cell.breaks;
      at = cell.end;
      ended = text[at] !== separator;
      at += text.startsWith('\r\n', at) ? 2 : 1;
    }
    line++;
    if (cells.some((cell) => cell.trim() !== '')) lines.push({ line: begin, cells });
  }
  return lines;
}

function separatorOf(text: string): string {
  const first = text.trimStart().split(/\r?\n/, 1)[0]!;
  return ['\t', ','].find((one) => first.includes(one)) ?? (first.includes(';') ? ';' : ',');
}

type Cell = { value: string; end: number; breaks: number };

function plain(text: string, from: number, separator: string): Cell {
  let end = from;
  while (end < text.length && text[end] !== separator && text[end] !== '\n' && !text.startsWith('\r\n', end)) end++;
  return { value: text.slice(from, end).trim(), end, breaks: 0 };
}

function quoted(text: string, from: number, line: number, separator: string): Cell {
  let value = '';
  for (let at = from + 1; ; ) {
    const end = text.indexOf('"', at);
    if (end < 0) throw new Error(`Line ${line}: unclosed quote.`);
    value += text.slice(at, end);
    if (text[end + 1] !== '"') {
      const breaks = value.split('\n').length - 1;
      const rest = plain(text, end + 1, separator);
      if (rest.value !== '') {
        throw new Error(`Line ${line + breaks}: text after a closing quote. Double each quote within a quoted cell.`);
      }
      return { value, end: rest.end, breaks };
    }
    value += '"';
    at = end + 2;
  }
}
