import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { committedFiles } from './committed-files.ts';
import { generate } from './generate.ts';
import { recordExamples } from './record.ts';

/** Implements `npm run generate`: records the examples and writes every generated file. */
const examples = await recordExamples();
const { openApi, console } = generate(examples);
const files = {
  ...committedFiles(examples),
  '.cache/generated/openapi.json': `${JSON.stringify(openApi, null, 1)}\n`,
  ...Object.fromEntries(Object.entries(console).map(([name, text]) => [`.cache/generated/console/${name}`, text])),
};
for (const [file, text] of Object.entries(files)) {
  const path = join(import.meta.dirname, '../..', file);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  process.stdout.write(`${file}: ${Math.round(Buffer.byteLength(text) / 1024)} KB\n`);
}
