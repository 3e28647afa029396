import { apiDigest, DIGEST_FILE } from './api-digest.ts';
import { EXAMPLES_FILE, examplesText } from './examples.ts';
import { generate } from './generate.ts';
import { pagesWithTables } from './marked-tables.ts';
import type { Example } from './openapi.ts';
import { referencePage } from './reference-page.ts';

/** Returns the text of every generated file that is committed, by its path below the top of the repository. */
export function committedFiles(examples: ReadonlyMap<string, Example>): Record<string, string> {
  const { document } = generate(examples);
  return {
    [EXAMPLES_FILE]: examplesText(examples),
    [DIGEST_FILE]: apiDigest(document),
    'docs/REFERENCE.md': referencePage(document),
    ...pagesWithTables(document),
  };
}
