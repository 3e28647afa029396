import { describe, expect, it } from 'vitest';
import { deadExports } from './dead-exports.ts';
import { importsOf } from './imports.ts';

function faults(files: Record<string, string>): string[] {
  const sources = new Map(Object.entries(files));
  return deadExports(
    sources,
    [...sources].flatMap(([file, text]) => importsOf(file, text)),
  );
}

const RULE = 'export const rule = 1;\nconst more = rule;\n';
const takes = "import { rule } from '#lib/results/a.ts';\n";

describe('deadExports accepts an export that', () => {
  it.each<[string, Record<string, string>]>([
    ['another file imports', { 'lib/results/a.ts': RULE, 'lib/alerts/b.ts': takes }],
    [
      'another file imports under another name',
      { 'lib/a.ts': RULE, 'lib/b.ts': "import { rule as law } from './a.ts';\n" },
    ],
    [
      'another file imports as a type',
      { 'lib/a.ts': 'export type T = 1;\n', 'lib/b.ts': "import type { T } from './a.ts';\n" },
    ],
    ['another file imports with *', { 'lib/a.ts': RULE, 'lib/b.ts': "import * as a from './a.ts';\n" }],
    [
      'another file imports as the default',
      { 'lib/a.ts': 'const a = 1;\nexport default a;\n', 'lib/b.ts': "import a from './a.ts';\n" },
    ],
    ['a bundle uses instead of a package', { 'infra/a.ts': RULE, 'infra/b.ts': "join(import.meta.dirname, 'a.ts')" }],
    ['is a rule under test', { 'lib/results/a.ts': RULE, 'test/unit/results/a.test.ts': takes }],
  ])('%s', (_name, files) => {
    expect(faults(files)).toEqual([]);
  });
});

describe('deadExports reports an export that', () => {
  it.each<[string, Record<string, string>]>([
    ['no file imports', { 'lib/results/a.ts': RULE }],
    ['is a function that no file imports', { 'lib/a.ts': 'export async function rule() {}\n' }],
    ['is a type that no file imports', { 'lib/a.ts': 'export type Rule = 1;\n' }],
    ['is the default that no file imports', { 'lib/a.ts': 'export default class Rule {}\n' }],
    ['has the same name as an imported export of another file', { 'lib/results/a.ts': RULE, 'lib/b.ts': RULE + takes }],
    ['only tests use', { 'lib/results/a.ts': 'export const rule = 1;\n', 'test/unit/results/a.test.ts': takes }],
    ['only test setup imports', { 'lib/results/a.ts': RULE, 'test/support/a.ts': takes }],
    ['has an unsupported form', { 'lib/a.ts': 'export { rule };\n' }],
  ])('%s', (_name, files) => {
    expect(faults(files)).toHaveLength(1);
  });

  it('no file imports, in a sentence with its name and file', () => {
    expect(faults({ 'lib/results/a.ts': RULE })).toEqual([
      'lib/results/a.ts has "export const rule = 1;", which no file imports: drop `export`, or the code.',
    ]);
  });
});
