import type { Field } from '#console/api/records.ts';
import { toCsv } from '#lib/platform/csv.ts';
import { type CsvLine, parseCsv } from './csv.ts';

/** Entity to create from a pasted line. */
export type EntityRow = {
  line: number;
  cells: readonly string[];
  slug: string;
  name: string;
  body: { slug: string; name: string; fields: Record<string, unknown> };
  /** Reason why the entity cannot be created. */
  why?: string;
};

export type Pasted = {
  header: readonly string[];
  rows: readonly EntityRow[];
  /** Reason why the table cannot be read. */
  wrong?: string;
};

const NOTHING: Pasted = { header: [], rows: [] };

/** Reads a pasted table; columns: `slug`, `name` (default: slug), fields. @param taken slugs of existing entities */
export function readEntities(text: string, fields: readonly Field[], taken: ReadonlySet<string>): Pasted {
  let lines: CsvLine[];
  try {
    lines = parseCsv(text);
  } catch (error) {
    return { ...NOTHING, wrong: (error as Error).message };
  }
  const [head, ...rest] = lines;
  if (!head) return NOTHING;
  const header = head.cells.map((cell) => cell.trim());
  const byName = new Map(fields.map((field) => [field.name, field]));
  const wrong = wrongHeader(header, byName);
  if (wrong) return { header, rows: [], wrong };
  const seen = new Set<string>();
  const rows = rest.map((line): EntityRow => {
    const row = rowOf(line, header, byName);
    const why = wrongLine(row, header, taken, seen);
    seen.add(row.slug);
    return why ? { ...row, why } : row;
  });
  return { header, rows };
}

function wrongHeader(header: readonly string[], fields: ReadonlyMap<string, Field>): string | undefined {
  if (!header.includes('slug')) return 'The first line must contain the column names, including slug.';
  const twice = header.find((name, i) => header.indexOf(name) !== i);
  if (twice !== undefined) return `Duplicate column: ${twice || '(no name)'}.`;
  const unknown = header.filter((name) => !OWN.has(name) && !fields.has(name));
  if (unknown.length === 0) return undefined;
  const known = [...OWN, ...fields.keys()].join(', ');
  return `Unknown columns: ${unknown.map((name) => name || '(no name)').join(', ')}. Use ${known}.`;
}

const OWN = new Set(['slug', 'name']);

function rowOf({ line, cells }: CsvLine, header: readonly string[], fields: ReadonlyMap<string, Field>): EntityRow {
  const of = (name: string) => cells[header.indexOf(name)] ?? '';
  const slug = of('slug');
  const name = of('name') || slug;
  const values = header.flatMap((column, i): [string, unknown][] => {
    const field = OWN.has(column) ? undefined : fields.get(column);
    const cell = cells[i] ?? '';
    return field && cell !== '' ? [[column, cellValue(field.field_type, cell)]] : [];
  });
  return { line, cells, slug, name, body: { slug, name, fields: Object.fromEntries(values) } };
}

function wrongLine(
  { slug, cells }: EntityRow,
  header: readonly string[],
  taken: ReadonlySet<string>,
  seen: ReadonlySet<string>,
): string | undefined {
  if (cells.length > header.length) return `${cells.length} cells for ${header.length} columns.`;
  if (slug === '') return 'The slug is missing.';
  if (taken.has(slug)) return 'An entity with this slug exists.';
  return seen.has(slug) ? 'A line above has the same slug.' : undefined;
}

/** Converts a cell to a field value. Invalid cells stay text, so that the API reports them. */
function cellValue(type: Field['field_type'], cell: string): unknown {
  if (type === 'number') return Number.isFinite(Number(cell)) ? Number(cell) : cell;
  if (type === 'boolean') return /^(true|false)$/i.test(cell) ? cell.toLowerCase() === 'true' : cell;
  if (type === 'array') return listOf(cell);
  return cell;
}

/** Parses `["a", 1]` or `a; b`. */
function listOf(cell: string): unknown {
  try {
    const value = JSON.parse(cell);
    if (Array.isArray(value)) return value;
  } catch {}
  return cell
    .split(';')
    .map((item) => item.trim())
    .filter(Boolean);
}

/** Returns a table with the given lines, to paste again. */
export const remaining = (header: readonly string[], rows: readonly EntityRow[]): string =>
  rows.length === 0 ? '' : toCsv([header, ...rows.map(({ cells }) => cells)]);
