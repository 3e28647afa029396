import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');

const MARKED_TABLE = /^<!-- table: ([\w-]+) -->\n(?:.*?\n)??<!-- \/table -->$/gms;
const BEGIN = '<!-- table: ';

/** Updates the tables of a page. Throws for an unknown table or an unclosed marker. Pure. */
export function withTables(page: string, tables: Readonly<Record<string, string>>): string {
  const written = page.replace(MARKED_TABLE, (_whole, name: string) => {
    const content = tables[name];
    if (content === undefined) throw new Error(`The table ${name} does not exist in infra/docs/tables.ts.`);
    return `${BEGIN}${name} -->\n${content}\n<!-- /table -->`;
  });
  const placed = tableNamesIn(page).length;
  if (page.split(BEGIN).length - 1 !== placed) throw new Error('A marker of a table is not closed.');
  return written;
}

/** Returns every page with its tables. Throws as `withTables` does, and if a table has no page. Pure. */
export function pagesWithTables(
  pages: ReadonlyMap<string, string>,
  tables: Readonly<Record<string, string>>,
): Record<string, string> {
  const placed = new Set([...pages.values()].flatMap(tableNamesIn));
  const missing = Object.keys(tables).filter((name) => !placed.has(name));
  if (missing.length > 0) {
    const markers = missing.map((name) => `${BEGIN}${name} -->\n<!-- /table -->`);
    throw new Error(`No page of docs/ has these tables. Add their markers to a page:\n${markers.join('\n')}`);
  }
  return Object.fromEntries([...pages].map(([file, page]) => [file, withTables(page, tables)]));
}

export const tableNamesIn = (page: string): string[] => [...page.matchAll(MARKED_TABLE)].map(([, name = '']) => name);

/** Reads every page with tables below docs/, by its path in the repository. */
export function readPages(): Map<string, string> {
  const files = globSync('docs/**/*.md', { cwd: ROOT }).toSorted();
  const pages = files.map((file): [string, string] => [file, readFileSync(join(ROOT, file), 'utf8')]);
  return new Map(pages.filter(([, text]) => text.includes(BEGIN)));
}
