import { posix } from 'node:path';
import { importsOf } from './imports.ts';

/** Files with fewer lines belong in their only importer. */
const MIN_LINES = 40;

/** Small files that stay separate because they have another topic than their importer. */
const APART = ['lib/results/pings/mask-secrets.ts'];

/** MCP tools: one file each, so that each has an obvious place. */
const IS_TOOL = /^lib\/mcp\/tools\//;

const linesOf = (text: string): number => text.trimEnd().split('\n').length;

/**
 * Returns a sentence for each small file of lib whose only importer is in the same folder. Files loaded lazily by
 * `import()` are exempt.
 */
export function loneFiles(sources: ReadonlyMap<string, string>): string[] {
  const importers = new Map<string, Set<string>>();
  const lazy = new Set<string>();
  for (const [file, text] of sources) {
    if (file.startsWith('test/')) continue;
    for (const { from } of importsOf(file, text)) {
      importers.set(from, (importers.get(from) ?? new Set()).add(file));
    }
    for (const [, name = ''] of text.matchAll(/\bimport\('#([^']+)'\)/g)) lazy.add(name);
  }
  return [...sources].flatMap(([file, text]) => {
    const [by, ...others] = importers.get(file) ?? [];
    if (!file.startsWith('lib/') || by === undefined || others.length > 0) return [];
    if (posix.dirname(by) !== posix.dirname(file) || linesOf(text) >= MIN_LINES) return [];
    if (lazy.has(file) || IS_TOOL.test(file) || APART.includes(file)) return [];
    return [`${file} has ${linesOf(text)} lines, and ${by} is the only importer: merge the two.`];
  });
}
