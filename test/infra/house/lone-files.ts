import { posix } from 'node:path';
import { importsOf } from './imports.ts';

/** A file of fewer lines than this belongs in its only importer. */
const MIN_LINES = 40;

/** Small files that stay apart because their importer does not share their idea. */
const APART = ['lib/results/pings/mask-secrets.ts'];

/** Tools of MCP: one file each, so that each has an obvious place. */
const IS_TOOL = /^lib\/mcp\/tools\//;

const linesOf = (text: string): number => text.trimEnd().split('\n').length;

/**
 * A sentence for each small file of lib whose only importer lies in the same folder. What is loaded on first use, by
 * `import()`, has to be a file.
 */
export function loneFiles(sources: ReadonlyMap<string, string>): string[] {
  const importers = new Map<string, Set<string>>();
  const isLate = new Set<string>();
  for (const [file, text] of sources) {
    if (file.startsWith('test/')) continue;
    for (const { from } of importsOf(file, text)) {
      importers.set(from, (importers.get(from) ?? new Set()).add(file));
    }
    for (const [, name = ''] of text.matchAll(/\bimport\('#([^']+)'\)/g)) isLate.add(name);
  }
  return [...sources].flatMap(([file, text]) => {
    const [by, ...others] = importers.get(file) ?? [];
    if (!file.startsWith('lib/') || by === undefined || others.length > 0) return [];
    if (posix.dirname(by) !== posix.dirname(file) || linesOf(text) >= MIN_LINES) return [];
    if (isLate.has(file) || IS_TOOL.test(file) || APART.includes(file)) return [];
    return [`${file} has ${linesOf(text)} lines, and ${by} alone imports it: merge the two.`];
  });
}
