import { changesIn, type Inside, isCheckKey } from './inside.ts';

/** Keys of items that carry information between records of an account. */
const CARRIES = /#(INCIDENT|HELD|UPSTREAM_PROBES|DELIVERIES|RELATIONS|RELATED|EXECUTION|REMEDIATION)#|hold#|#CHECK#/;
const IDS = /\b(?:ent|chk)_[0-9a-z]+/g;

/**
 * Promise: accounts with the same names, hosts and channels never affect each other. No transaction changes two
 * accounts, and no item of an account names an entity or a check of another account.
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
    if (tenants.size > 1) wrong.push(`the commit at ${at} changes the accounts ${[...tenants]}`);
    for (const { key, after } of changes) {
      const [tenant] = tenants;
      if (!after || tenant === undefined || !CARRIES.test(`${key.pk}#${key.sk}`)) continue;
      const others = (JSON.stringify(after).match(IDS) ?? []).filter((id) => (owners.get(id) ?? tenant) !== tenant);
      if (others.length > 0) wrong.push(`${key.pk} ${key.sk} names ${others}, of another account`);
    }
  }
  return wrong;
}
