import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SETTINGS } from '#lib/alerting/policy/settings.ts';
import { membersTables } from './members-table.ts';
import type { OpenApi } from './openapi.ts';

const ROOT = join(import.meta.dirname, '../..');

/** Tables by name. A page under docs/ shows one between `<!-- table: NAME -->` and `<!-- /table -->`. */
const tables: Readonly<Record<string, (document: OpenApi) => string>> = {
  'policy-settings': policySettings,
};

/** Returns each page under docs/ that shows a table, by its path from the top of the repository, with its tables. */
export function pagesWithTables(document: OpenApi): Record<string, string> {
  const pages: Record<string, string> = {};
  for (const file of globSync('docs/**/*.md', { cwd: ROOT })) {
    const before = readFileSync(join(ROOT, file), 'utf8');
    const names = [...before.matchAll(/^<!-- table: (.+) -->$/gm)].map(([, name = '']) => name);
    if (names.length === 0) continue;
    pages[file] = names.reduce((page, name) => {
      const table = tables[name];
      if (!table) throw new Error(`${file} has a table ${name}, which infra/docs/marked-tables.ts does not make.`);
      return markedSection(page, name, table(document));
    }, before);
  }
  return pages;
}

/** Replaces the table of a page that stands between the markers of this name. @throws Error if the page has none */
export function markedSection(page: string, name: string, table: string): string {
  const begin = `<!-- table: ${name} -->\n`;
  const end = '<!-- /table -->';
  const [before, ...rest] = page.split(begin);
  const at = rest[0]?.indexOf(end) ?? -1;
  if (rest.length !== 1 || at < 0) throw new Error(`The page must have the markers of the table ${name} once.`);
  return `${before}${begin}\n${table}\n\n${rest[0]?.slice(at)}`;
}

/** A table of Markdown. */
export const markdownTable = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.map(cell).join(' | ')} |`).join('\n');

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ');

function policySettings(document: OpenApi): string {
  const { named, typeOf } = membersTables(document);
  const { properties } = named('DefaultPolicy');
  return markdownTable(
    ['Setting', 'Type', 'Default', 'Meaning'],
    Object.entries(SETTINGS).map(([name, { default: value, means }]) => [
      `\`${name}\``,
      typeOf(properties[name]),
      `\`${JSON.stringify(value)}\``,
      means,
    ]),
  );
}
