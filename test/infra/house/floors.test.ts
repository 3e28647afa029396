import { describe, expect, it } from 'vitest';
import { disorder, upward } from './floors.ts';
import { importsOf } from './imports.ts';

const faults = (file: string, text: string) => upward(importsOf(file, text));

describe('upward accepts an import', () => {
  it.each([
    ['lib/alerting/a.ts', "import { b } from './b.ts';"],
    ['lib/alerting/notify/a.ts', "import type { B } from '#lib/alerting/b.ts';"],
    ['lib/results/a.ts', "import { b } from '#lib/checks/b.ts';"],
    ['lib/access/a.ts', "import { keyTable } from '#lib/keys.ts';"],
    ['lib/api-routes.ts', "import { b } from '#lib/mcp/b.ts';"],
    ['functions/a.ts', "import { b } from '#lib/end-account.ts';"],
    ['infra/a.ts', "import { b } from '#functions/b.ts';"],
    ['test/unit/a.test.ts', "import { b } from '#infra/b.ts';"],
    ['console/pages/a.tsx', "import type { B } from '#lib/results/b.ts';"],
    ['lib/platform/a.ts', "import * as z from 'zod';"],
  ])('in %s: %s', (file, text) => {
    expect(faults(file, text)).toEqual([]);
  });
});

describe('upward reports an import of', () => {
  it.each([
    ['a later room', 'lib/checks/a.ts', "import { b } from '#lib/results/b.ts';"],
    ['a type of a later room', 'lib/checks/a.ts', "import type { B } from '#lib/results/b.ts';"],
    ['a later room over several lines', 'lib/checks/a.ts', "import {\n  type B,\n  c,\n} from '#lib/results/b.ts';"],
    ['a later room in a folder of a room', 'lib/checks/types/a.ts', "import { b } from '#lib/results/b.ts';"],
    ['a later room at run time', 'lib/checks/a.ts', "const b = await import('#lib/results/b.ts');"],
    ['a later room by a re-export', 'lib/checks/a.ts', "export { b } from '#lib/results/b.ts';"],
    ['a later room for its side effect', 'lib/checks/a.ts', "import '#lib/results/b.ts';"],
    ['alerting in the state of a check', 'lib/checks/state/a.ts', "import { b } from '#lib/alerting/on-change.ts';"],
    ['the keys of the table in platform', 'lib/platform/a.ts', "import { keyTable } from '#lib/keys.ts';"],
    ['a room in the keys of the table', 'lib/keys.ts', "import { b } from './access/b.ts';"],
    ['a function in lib', 'lib/api-routes.ts', "import { create } from '#functions/api.ts';"],
    ['the page in a function', 'functions/a.ts', "import { b } from '#console/rules/b.ts';"],
    ['infra in the page', 'console/main.tsx', "import type { B } from '#infra/b.ts';"],
    ['infra in a function', 'functions/a.ts', "import { b } from '#infra/b.ts';"],
    ['a test in infra', 'infra/a.ts', "import { b } from '#test/b.ts';"],
  ])('%s', (_name, file, text) => {
    expect(faults(file, text)).toHaveLength(1);
  });

  it('names both files for a room of the same layer', () => {
    expect(faults('lib/actions/a.ts', "import { b } from '#lib/incidents/b.ts';")).toEqual([
      'lib/actions/a.ts imports lib/incidents/b.ts: lib/incidents is in the same layer as lib/actions (CONTRIBUTING.md#rules-of-the-house).',
    ]);
  });
});

describe('disorder', () => {
  const found = (files: Record<string, string>) =>
    disorder(Object.entries(files).flatMap(([file, text]) => importsOf(file, text)));

  it('allows a folder to import from folders before it, and from itself', () => {
    const files = {
      'lib/alerting/decide/a.ts': "import { b } from '#lib/alerting/policy/b.ts';\nimport { c } from './c.ts';",
      'lib/alerting/on-change.ts': "import { b } from './decide/b.ts';",
    };
    expect(found(files)).toEqual([]);
  });

  it('reports an import from a later folder', () => {
    expect(found({ 'lib/alerting/policy/a.ts': "import type { B } from '#lib/alerting/decide/b.ts';" })).toEqual([
      'lib/alerting/policy/a.ts imports lib/alerting/decide/b.ts: lib/alerting/decide comes after lib/alerting/policy (CONTRIBUTING.md#rules-of-the-house).',
    ]);
  });

  it('counts nested folders as part of their folder', () => {
    expect(found({ 'lib/alerting/policy/deep/a.ts': "import { b } from '#lib/alerting/notify/b.ts';" })).toHaveLength(
      1,
    );
  });

  it('reports a folder that is not in the list', () => {
    expect(found({ 'lib/alerting/new/a.ts': "import { b } from './b.ts';" })).toEqual([
      'lib/alerting/new is missing in test/infra/house/floors.ts.',
    ]);
  });

  it('reports an import cycle through a file directly in a room, once', () => {
    const files = {
      'lib/alerting/a.ts': "import { b } from './decide/b.ts';",
      'lib/alerting/decide/b.ts': "import { c } from '#lib/alerting/c.ts';",
      'lib/alerting/c.ts': "import { a } from './a.ts';",
    };
    expect(found(files)).toEqual([
      'lib/alerting/a.ts → lib/alerting/decide → lib/alerting/c.ts → lib/alerting/a.ts is an import cycle (CONTRIBUTING.md#rules-of-the-house).',
    ]);
  });

  it('allows two rooms to have folders of the same name', () => {
    const files = {
      'lib/checks/types/a.ts': "import { b } from '#lib/checks/assertions/b.ts';",
      'lib/channels/a.ts': "import { b } from './types/b.ts';",
    };
    expect(found(files)).toEqual([]);
  });
});
