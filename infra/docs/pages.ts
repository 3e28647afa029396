import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');

const PLACE = /^<!-- table: ([\w-]+) -->\n(?:.*?\n)??<!-- \/table -->$/gms;
const BEGIN = '<!-- table: ';

/** Updates the tables of a page. Throws for an unknown table or an unclosed marker. Pure. */
export function withTables(page: string, tables: Readonly<Record<string, string>>): string {
  const written = page.replace(PLACE, (_whole, name: string) => {
    const content = tables[name];
    if (content === undefined) throw new Error(`The table ${name} does not exist in infra/docs/tables.ts.`);
    return `${BEGIN}${name} -->\n${content}\n<!-- /table -->`;
  });
  const placed = placesIn(page).length;
  if (page.split(BEGIN).length - 1 !== placed) throw new Error('A marker of a table is not closed.');
  return written;
}

/** Returns the names of the tables of a page. */
export const placesIn = (page: string): string[] => [...page.matchAll(PLACE)].map(([, name = '']) => name);

/** Reads every page with tables below docs/, by its path in the repository. */
export function readPages(): Map<string, string> {
  const files = globSync('docs/**/*.md', { cwd: ROOT }).toSorted();
  const pages = files.map((file): [string, string] => [file, readFileSync(join(ROOT, file), 'utf8')]);
  return new Map(pages.filter(([, text]) => text.includes(BEGIN)));
}
