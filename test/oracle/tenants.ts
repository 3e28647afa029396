import { changesIn, type Inside, isCheckKey } from './inside.ts';

/** What carries word from one thing of an account to another. */
const CARRIES = /#(INCIDENT|HELD|ASKED|DELIVERIES|RELATIONS|RELATED|EXECUTION|REMEDIATION)#|hold#|#CHECK#/;
const IDS = /\b(?:ent|chk)_[0-9a-z]+/g;

/**
 * Accounts with the same names, hosts and channels never see each other: no transaction is about two of them, and
 * nothing of one names an entity or a check of another.
 */
export function checkTenants({ seen }: Inside): string[] {
  const owners = new Map<string, string>();
  const wrong: string[] = [];
  for (const { key, before, after } of changesIn(seen)) {
    if (before || !after) continue;
    const tenant = key.pk.split('#')[1]!;
    if (key.pk.includes('#ENTITIES#')) owners.set(key.sk, tenant);
    if (isCheckKey(key)) owners.set(key.sk.slice('CHECK#'.length), tenant);
  }
  if (new Set(owners.values()).size < 2) return [];
  for (const { at, changes } of seen.commits) {
    const tenants = new Set(changes.flatMap(({ key }) => (key.pk.startsWith('T#') ? [key.pk.split('#')[1]!] : [])));
    if (tenants.size > 1) wrong.push(`the commit at ${at} is about ${[...tenants]}`);
    for (const { key, after } of changes) {
      const [tenant] = tenants;
      if (!after || tenant === undefined || !CARRIES.test(`${key.pk}#${key.sk}`)) continue;
      const others = (JSON.stringify(after).match(IDS) ?? []).filter((id) => (owners.get(id) ?? tenant) !== tenant);
      if (others.length > 0) wrong.push(`${key.pk} ${key.sk} names ${others}, of another account`);
    }
  }
  return wrong;
}
