import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Example } from './openapi.ts';

/** File with recorded examples: one endpoint per line, in JSON. */
export const EXAMPLES_FILE = 'infra/docs/examples.ndjson';

type Line = Example & { endpoint: string };

export function readExamples(): Map<string, Example> {
  const text = readFileSync(join(import.meta.dirname, '../..', EXAMPLES_FILE), 'utf8');
  const lines = text.trimEnd().split('\n');
  return new Map(
    lines.map((line) => {
      const { endpoint, ...example }: Line = JSON.parse(line);
      return [endpoint, example];
    }),
  );
}

/** Formats examples as the content of EXAMPLES_FILE, sorted by endpoint. */
export const examplesText = (examples: ReadonlyMap<string, Example>): string =>
  [...examples]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([endpoint, example]) => `${JSON.stringify({ endpoint, ...example })}\n`)
    .join('');
