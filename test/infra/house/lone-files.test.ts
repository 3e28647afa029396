import { expect, it } from 'vitest';
import { loneFiles } from './lone-files.ts';

const SMALL = 'export const b = 1;\n';
const LARGE = `${SMALL}${'// more\n'.repeat(40)}`;

const found = (files: Record<string, string>) => loneFiles(new Map(Object.entries(files)));

it('reports a small file whose only importer is in its folder', () => {
  expect(found({ 'lib/a/a.ts': "import { b } from './b.ts';\n", 'lib/a/b.ts': SMALL })).toEqual([
    'lib/a/b.ts has 1 lines, and lib/a/a.ts is the only importer: merge the two.',
  ]);
});

it.each([
  ['a large file', { 'lib/a/a.ts': "import { b } from './b.ts';\n", 'lib/a/b.ts': LARGE }],
  ['a file that is loaded on first use', { 'lib/a/a.ts': "await import('#lib/a/b.ts');\n", 'lib/a/b.ts': SMALL }],
  ['a file of another folder', { 'lib/a/a.ts': "import { b } from '#lib/a/c/b.ts';\n", 'lib/a/c/b.ts': SMALL }],
  [
    'a file that two files import',
    {
      'lib/a/a.ts': "import { b } from './b.ts';\n",
      'lib/a/c.ts': "import { b } from './b.ts';\n",
      'lib/a/b.ts': SMALL,
    },
  ],
  ['a tool', { 'lib/mcp/tools/registry.ts': "import { b } from './b.ts';\n", 'lib/mcp/tools/b.ts': SMALL }],
])('accepts %s', (_name, files) => {
  expect(found(files)).toEqual([]);
});

it('does not count tests as importers', () => {
  const files = {
    'lib/a/a.ts': "import { b } from './b.ts';\n",
    'test/unit/a/b.test.ts': "import { b } from '#lib/a/b.ts';\n",
    'lib/a/b.ts': SMALL,
  };
  expect(found(files)).toHaveLength(1);
});
