import { describe, expect, it } from 'vitest';
import { notForPages } from './page-imports.ts';

const LIB: [string, string][] = [
  ['lib/pure.ts', "import type { Ports } from '#lib/ports.ts';\nexport const LIMIT = 5;\n"],
  ['lib/pure-too.ts', "import { LIMIT } from './pure.ts';\nexport const twice = 2 * LIMIT;\n"],
  ['lib/schema.ts', "import * as z from 'zod';\nexport const Schema = z.object({});\n"],
  ['lib/deep.ts', "import { Schema } from '#lib/schema.ts';\nexport const deep = Schema;\n"],
  ['lib/file.ts', "import { readFileSync } from 'node:fs';\nexport const read = readFileSync;\n"],
];
const faults = (text: string) => notForPages(new Map([...LIB, ['console/pages/a.tsx', text]]));

describe('notForPages accepts an import such as', () => {
  it.each([
    "import { render } from 'preact';",
    "import { useEffect } from 'preact/hooks';",
    "import './style/main.css';",
    "import { b } from './b.tsx';",
    "import { call } from '#console/api/call.ts';",
    "const page = () => import('#console/pages/map.tsx');",
    "import generated from '#generated/schemas.json' with { type: 'json' };",
    "import type { Schema } from '#lib/schema.ts';",
    "import type * as z from 'zod';",
    "import { LIMIT } from '#lib/pure.ts';",
    "import { twice } from '#lib/pure-too.ts';",
  ])('%s', (text) => {
    expect(faults(text)).toEqual([]);
  });
});

describe('notForPages reports', () => {
  it.each([
    "import { readFileSync } from 'node:fs';",
    "import * as z from 'zod';",
    "import { Schema } from '#lib/schema.ts';",
    "import { type Shape, Schema } from '#lib/schema.ts';",
    "import { type Shape } from '#lib/schema.ts';",
    "import {\n  deep,\n} from '#lib/deep.ts';",
    "import '#lib/file.ts';",
    "export { read } from '#lib/file.ts';",
    "const late = await import('#lib/schema.ts');",
    "import { functions } from '#infra/topology.ts';",
  ])('%s', (text) => {
    expect(faults(text)).toHaveLength(1);
  });

  it('names the page, the lib file, and the package that the lib file needs', () => {
    expect(faults("import { Schema } from '#lib/schema.ts';")).toEqual([
      'console/pages/a.tsx imports lib/schema.ts, which needs zod. Import only its types, with "import type".',
    ]);
  });
});
