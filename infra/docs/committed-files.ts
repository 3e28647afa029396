import { apiDigest, DIGEST_FILE } from './api-digest.ts';
import { EXAMPLES_FILE, examplesText } from './examples.ts';
import { generate } from './generate.ts';
import type { Example } from './openapi.ts';
import { pagesWithTables, readPages } from './pages.ts';
import { tablesOf } from './tables.ts';

/** Returns the text of every committed generated file, by its path in the repository. */
export function committedFiles(examples: ReadonlyMap<string, Example>): Record<string, string> {
  const { openApi } = generate(examples);
  return {
    [EXAMPLES_FILE]: examplesText(examples),
    [DIGEST_FILE]: apiDigest(openApi),
    ...pagesWithTables(readPages(), tablesOf(openApi)),
  };
}
