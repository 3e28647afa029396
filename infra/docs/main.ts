import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { documents } from './documents.ts';

/** `npm run openapi`: writes what is made from the rows of the API. */
for (const [file, text] of Object.entries(await documents())) {
  writeFileSync(join(import.meta.dirname, '../..', file), text);
  process.stdout.write(`${file}: ${Math.round(text.length / 1024)} KB\n`);
}
