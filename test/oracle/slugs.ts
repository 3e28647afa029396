import type { CheckItem } from '#lib/checks/check-item.ts';
import { checkIdOf, type Inside, isCheckKey } from './inside.ts';

/**
 * Promise: at any time at most one check has a slug, and the slug leads to it. A PUT by slug creates the check if it
 * does not exist, and otherwise replaces the settings of the existing one.
 */
export function checkSlugs({ seen }: Inside): string[] {
  const wrong: string[] = [];
  /** Check that has a slug. */
  const holders = new Map<string, string>();
  /** Check to which the pointer item of a slug leads. */
  const leads = new Map<string, string>();
  /** Slug of each check at its creation. */
  const made = new Map<string, string | undefined>();
  for (const { n, changes } of seen.commits) {
    const pointers = changes.filter(({ key }) => key.pk.includes('#CHECKSLUGS#'));
    const checks = changes
      .filter(({ key }) => isCheckKey(key))
      .map(({ key, before, after }) => {
        const [old, next] = [before, after] as (CheckItem | undefined)[];
        if (!old) made.set(checkIdOf(key), next?.slug);
        return { id: checkIdOf(key), from: old?.slug, to: next?.slug };
      })
      .filter(({ from, to }) => from !== to);
    for (const { key, after } of pointers) {
      if (after) leads.set(key.sk, (after as unknown as { check_id: string }).check_id);
      else leads.delete(key.sk);
    }
    for (const { from } of checks) if (from !== undefined) holders.delete(from);
    for (const { id, to } of checks) {
      if (to === undefined) continue;
      if (holders.has(to)) wrong.push(`commit ${n}: check ${id} gets the slug ${to} of check ${holders.get(to)}`);
      holders.set(to, id);
    }
    if (pointers.length + checks.length === 0) continue;
    for (const [slug, id] of holders) {
      if (leads.get(slug) !== id)
        wrong.push(`commit ${n}: the slug ${slug} of check ${id} leads to ${leads.get(slug)}`);
    }
  }
  const answered = new Set<string>();
  for (const { slug, status, id, replayed } of seen.applied) {
    const say = (text: string) => wrong.push(`check ${id}, put by the slug ${slug} with response ${status}, ${text}`);
    if (!made.has(id)) say('was never created');
    if (status !== 201 || replayed) continue;
    if (made.get(id) !== slug) say(`was created with the slug ${made.get(id)}`);
    if (answered.has(id)) say('was created before');
    answered.add(id);
  }
  return wrong;
}
