import { type AccountItem, isDisabled } from '#lib/access/account.ts';
import { digestOf } from '#lib/access/api-key.ts';
import { rateLimited, spend, spendAt } from '#lib/access/rate-gate.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import { findCheckBySlug } from '#lib/checks/settings/check-slugs.ts';
import type { PingUrlItem } from '#lib/checks/settings/ping-url.ts';
import type { Env } from '#lib/env.ts';
import { makeBuckets } from '#lib/platform/sharing/memory-limiter.ts';
import type { PingKeyPointer } from './ping-keys.ts';
import type { PingTarget } from './ping-path.ts';

/** Ping URLs that a process holds to their rate, and of those that lead nowhere, how many it remembers. */
const MAX_URLS = 20_000;
const MAX_UNKNOWN = 10_000;
/** How long (ms) an address that leads nowhere is not asked for again. */
const UNKNOWN_MS = 60_000;

/** What a ping is for. `check`: undefined where the slug behind the `key` names none. */
export type Pinged = { account: AccountItem } & (
  | { check: CheckItem; key?: undefined }
  | { check: CheckItem | undefined; key: PingKeyPointer }
);

export type PingGate = {
  /**
   * What a ping is for; undefined where its address leads nowhere, or the account is disabled. Counts it of its client
   * address, its URL and its account. Throws RATE_LIMITED.
   */
  admit(address: string, target: PingTarget): Promise<Pinged | undefined>;
};

/**
 * What a ping passes, one gate a process. Rates of an address and of a URL are in memory, before the table is asked; so
 * are addresses that lead nowhere, so that a forgotten crontab costs nothing.
 */
export function pingGate(env: Env): PingGate {
  const { ports, keys } = env;
  const { table, clock } = ports;
  const urls = makeBuckets(clock, MAX_URLS);
  const unknown = new Map<string, number>();

  return {
    async admit(address, target) {
      spendAt(ports, address, 'ping');
      const opener = digestOf('uuid' in target ? target.uuid : target.key);
      spendOn('uuid' in target ? opener : `${opener}/${target.slug}`);
      if ((unknown.get(opener) ?? 0) > clock.now()) return undefined;
      const found = 'uuid' in target ? await byUuid(opener) : await byKey(opener, target.slug);
      if (!found) remember(opener);
      if (!found || isDisabled(found.account)) return undefined;
      await spend({ ports, tenant: found.account.id, caller: found.account }, 'push');
      return found;
    },
  };

  /** @param name of a bucket; no secret is kept */
  function spendOn(name: string): void {
    const rate = ports.limiter.rates?.['ping-url'];
    const standing = rate && urls.take(name, rate);
    if (standing && !standing.allowed) throw rateLimited('ping-url', standing, ' of a ping URL');
  }

  function remember(digest: string): void {
    ports.metrics.count('UnknownPings');
    unknown.delete(digest);
    if (unknown.size >= MAX_UNKNOWN) unknown.delete(unknown.keys().next().value!);
    unknown.set(digest, clock.now() + UNKNOWN_MS);
  }

  async function byUuid(digest: string): Promise<Pinged | undefined> {
    const pointer = await table.get<PingUrlItem>(keys.pingUrl(digest));
    if (!pointer || (pointer.until !== undefined && pointer.until <= clock.now())) return undefined;
    const { tenant_id, check_id } = pointer;
    const [check, account] = await Promise.all([
      table.get<CheckItem>(keys.check(tenant_id, check_id)),
      accountOf(tenant_id),
    ]);
    return check && account && { check, account };
  }

  /** As it was a second ago at most: what the operator changes of it need not hold at once. */
  async function accountOf(tenant: string): Promise<AccountItem | undefined> {
    return (await table.getMany<AccountItem>([keys.account(tenant)], { eventual: true }))[0];
  }

  async function byKey(digest: string, slug: string): Promise<Pinged | undefined> {
    const key = await table.get<PingKeyPointer>(keys.pingKeyPointer(digest));
    if (!key) return undefined;
    const [account, check] = await Promise.all([
      accountOf(key.tenant_id),
      findCheckBySlug({ ...env, tenant: key.tenant_id }, slug),
    ]);
    return account && { account, key, check };
  }
}
