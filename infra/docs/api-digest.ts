import { hash } from 'node:crypto';
import type { OpenApi } from './openapi.ts';

/** Digest of the API: one line with a hash and a name per operation or webhook. */
export const DIGEST_FILE = 'infra/docs/api-digest.txt';

// biome-ignore lint/suspicious/noExplicitAny: a JSON document of any depth
type Json = any;

/** Keys of human-readable texts, which are not part of the contract. */
const TEXTS = new Set(['summary', 'description', 'title', 'example', 'examples']);

/** Returns the content of DIGEST_FILE: hashes of operations with their schemas, without texts. Pure. */
export function apiDigest({ paths, webhooks, components }: OpenApi): string {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => [`${method.toUpperCase()} ${path}`, operation]),
  );
  const hooks = Object.entries<Json>(webhooks).map(([name, { post }]) => [`webhook ${name}`, post]);
  return [...operations, ...hooks].map(([name, operation]) => `${hashOf(operation, components)} ${name}\n`).join('');
}

function hashOf(operation: Json, components: Json): string {
  const texts = new Map([['', JSON.stringify(withoutTexts(operation))]]);
  // The map grows while it is iterated.
  for (const text of texts.values()) {
    for (const [, kind = '', name = ''] of text.matchAll(/"#\/components\/(\w+)\/([^"]+)"/g)) {
      if (!texts.has(name)) texts.set(name, JSON.stringify(withoutTexts(components[kind][name])));
    }
  }
  return hash('sha256', JSON.stringify([...texts])).slice(0, 12);
}

/** @param named whether the keys are names, as in `properties` */
function withoutTexts(value: Json, named = false): Json {
  if (Array.isArray(value)) return value.map((member) => withoutTexts(member));
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([key]) => named || !TEXTS.has(key));
  return Object.fromEntries(kept.map(([key, member]) => [key, withoutTexts(member, !named && key === 'properties')]));
}
