import { identity } from '#console/app/session.ts';
import type { Draft } from '#console/rules/form-draft.ts';
import type { FieldSpec } from '#console/rules/form-fields.ts';

/**
 * What was typed and not sent yet. The browser keeps it for this tab, so that a reload, a sign-out and an error lose
 * nothing; secrets stay in the memory of the page. It is kept for whoever typed it alone.
 */
const inMemory = new Map<string, Draft>();

/** Under what the draft of a form is kept. */
export const draftKey = (form: string): string => `fleetwatch.draft.${identity.peek()}.${form}`;

export function keepDraft(key: string, specs: readonly FieldSpec[], draft: Draft): void {
  inMemory.set(key, draft);
  const secrets = new Set(specs.filter(({ secret }) => secret).map(({ path }) => path));
  const open = Object.entries(draft).filter(([path]) => !secrets.has(path));
  try {
    sessionStorage.setItem(key, JSON.stringify(Object.fromEntries(open)));
  } catch {
    // A browser that keeps nothing: it is in memory until the page is closed.
  }
}

/** What was typed there before; undefined when nothing was. */
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

/** It was sent, or is not wanted. */
export function dropDraft(key: string): void {
  inMemory.delete(key);
  try {
    sessionStorage.removeItem(key);
  } catch {
    // Nothing was kept there.
  }
}
