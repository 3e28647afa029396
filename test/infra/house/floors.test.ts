import { describe, expect, it } from 'vitest';
import { upward } from './floors.ts';
import { importsOf } from './imports.ts';

const faults = (file: string, text: string) => upward(importsOf(file, text));

describe('lint lets a file import', () => {
  it.each([
    ['lib/alerts/a.ts', "import { b } from './b.ts';"],
    ['lib/alerts/channels/a.ts', "import type { B } from '#lib/alerts/b.ts';"],
    ['lib/health/a.ts', "import { b } from '#lib/checks/b.ts';"],
    ['lib/access/a.ts', "import { keyTable } from '#lib/keys.ts';"],
    ['lib/api-rows.ts', "import { b } from '#lib/mcp/b.ts';"],
    ['functions/a.ts', "import { b } from '#lib/end-account.ts';"],
    ['infra/a.ts', "import { b } from '#functions/b.ts';"],
    ['test/unit/a.test.ts', "import { b } from '#infra/b.ts';"],
    ['console/pages/a.tsx', "import type { B } from '#lib/health/b.ts';"],
    ['lib/platform/a.ts', "import * as z from 'zod';"],
  ])('%s: %s', (file, text) => {
    expect(faults(file, text)).toEqual([]);
  });
});

describe('lint refuses', () => {
  it.each([
    ['a room above', 'lib/checks/a.ts', "import { b } from '#lib/health/b.ts';"],
    ['a type of a room above', 'lib/checks/a.ts', "import type { B } from '#lib/health/b.ts';"],
    ['a room above over several lines', 'lib/checks/a.ts', "import {\n  type B,\n  c,\n} from '#lib/health/b.ts';"],
    ['a room above in a folder of a room', 'lib/checks/types/a.ts', "import { b } from '#lib/health/b.ts';"],
    ['a room above at run time', 'lib/checks/a.ts', "const b = await import('#lib/health/b.ts');"],
    ['a room above by passing it on', 'lib/checks/a.ts', "export { b } from '#lib/health/b.ts';"],
    ['a room above for its effect', 'lib/checks/a.ts', "import '#lib/health/b.ts';"],
    ['the keys of the table in platform', 'lib/platform/a.ts', "import { keyTable } from '#lib/keys.ts';"],
    ['a room in the keys of the table', 'lib/keys.ts', "import { b } from './access/b.ts';"],
    ['a function in lib', 'lib/api-rows.ts', "import { create } from '#functions/api.ts';"],
    ['the page in a function', 'functions/a.ts', "import { b } from '#console/rules/b.ts';"],
    ['infra in the page', 'console/main.tsx', "import type { B } from '#infra/b.ts';"],
    ['infra in a function', 'functions/a.ts', "import { b } from '#infra/b.ts';"],
    ['a test in infra', 'infra/a.ts', "import { b } from '#test/b.ts';"],
  ])('%s', (_name, file, text) => {
    expect(faults(file, text)).toHaveLength(1);
  });

  it('a room of the same floor, in a sentence that names both files', () => {
    expect(faults('lib/alerts/a.ts', "import { b } from '#lib/actions/b.ts';")).toEqual([
      'lib/alerts/a.ts imports lib/actions/b.ts: lib/actions is on the same floor as lib/alerts (CONTRIBUTING.md#the-rules-of-the-house).',
    ]);
  });
});
