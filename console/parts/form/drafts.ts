import { identity } from '#console/app/session.ts';
import type { Draft } from '#console/rules/form-draft.ts';
import type { FieldSpec } from '#console/rules/form-fields.ts';

/** Unsent input per tab and user, so that a reload, sign-out or error loses nothing. Secrets stay in memory only. */
const inMemory = new Map<string, Draft>();

export const draftKey = (form: string): string => `fleetwatch.draft.${identity.peek()}.${form}`;

export function keepDraft(key: string, specs: readonly FieldSpec[], draft: Draft): void {
  inMemory.set(key, draft);
  const secrets = new Set(specs.filter(({ secret }) => secret).map(({ path }) => path));
  const withoutSecrets = Object.entries(draft).filter(([path]) => !secrets.has(path));
  try {
    sessionStorage.setItem(key, JSON.stringify(Object.fromEntries(withoutSecrets)));
  } catch {
    // Storage is blocked: the draft stays in memory until the page is closed.
  }
}

/** Returns the stored draft; undefined without one. */
export function keptDraft(key: string): Draft | undefined {
  const known = inMemory.get(key);
  if (known) return known;
  try {
    const text = sessionStorage.getItem(key);
    return text === null ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

export function dropDraft(key: string): void {
  inMemory.delete(key);
  try {
    sessionStorage.removeItem(key);
  } catch {
    // Storage is blocked.
  }
}
