import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');

const PLACE = /^<!-- table: ([\w-]+) -->\n(?:.*?\n)??<!-- \/table -->$/gms;
const BEGIN = '<!-- table: ';

/**
 * Returns a page with its tables as they are now. Throws an Error that names a table that does not exist or a marker
 * that is not closed. Pure.
 */
export function withTables(page: string, tables: Readonly<Record<string, string>>): string {
  const written = page.replace(PLACE, (_whole, name: string) => {
    const content = tables[name];
    if (content === undefined) throw new Error(`There is no table ${name} (infra/docs/tables.ts).`);
    return `${BEGIN}${name} -->\n${content}\n<!-- /table -->`;
  });
  const placed = placesIn(page).length;
  if (page.split(BEGIN).length - 1 !== placed) throw new Error('A marker of a table is not closed.');
  return written;
}

/**
 * Returns every page with its tables as they are now. Throws as `withTables` does, and an Error that names the tables
 * that no page holds. Pure.
 */
export function pagesWithTables(
  pages: ReadonlyMap<string, string>,
  tables: Readonly<Record<string, string>>,
): Record<string, string> {
  const placed = new Set([...pages.values()].flatMap(placesIn));
  const missing = Object.keys(tables).filter((name) => !placed.has(name));
  if (missing.length > 0) {
    const markers = missing.map((name) => `${BEGIN}${name} -->\n<!-- /table -->`);
    throw new Error(`No page of docs/ holds these tables. Add their markers to a page:\n${markers.join('\n')}`);
  }
  return Object.fromEntries([...pages].map(([file, page]) => [file, withTables(page, tables)]));
}

/** Returns the names of the tables that a page holds. */
export const placesIn = (page: string): string[] => [...page.matchAll(PLACE)].map(([, name = '']) => name);

/** Reads every page below docs/ that holds tables, by its path below the top of the repository. */
export function readPages(): Map<string, string> {
  const files = globSync('docs/**/*.md', { cwd: ROOT }).toSorted();
  const pages = files.map((file): [string, string] => [file, readFileSync(join(ROOT, file), 'utf8')]);
  return new Map(pages.filter(([, text]) => text.includes(BEGIN)));
}
