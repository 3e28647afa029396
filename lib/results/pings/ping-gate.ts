import { type AccountItem, isDisabled } from '#lib/access/account.ts';
import { digestOf } from '#lib/access/api-key.ts';
import { rateLimited, spend, spendForAddress } from '#lib/access/rate-gate.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import { findCheckBySlug } from '#lib/checks/settings/check-slugs.ts';
import type { PingUrlItem } from '#lib/checks/settings/ping-url.ts';
import type { Env } from '#lib/env.ts';
import { makeBuckets } from '#lib/platform/sharing/memory-limiter.ts';
import type { PingKeyPointer } from './ping-keys.ts';
import type { PingTarget } from './ping-path.ts';

/** Maximum number of ping URLs, and of unknown UUIDs and ping keys, that a process remembers. */
const MAX_URLS = 20_000;
const MAX_UNKNOWN = 10_000;
/** Time (ms) for which an unknown UUID or ping key is not read again. */
const UNKNOWN_MS = 60_000;

/** Target of a ping. `check`: undefined if the account of the `key` has no check with the slug. */
export type Pinged = { account: AccountItem } & (
  | { check: CheckItem; key?: undefined }
  | { check: CheckItem | undefined; key: PingKeyPointer }
);

export type PingGate = {
  /** Returns the target of a ping; undefined if it is unknown or its account disabled. Throws RATE_LIMITED. */
  admit(address: string, target: PingTarget): Promise<Pinged | undefined>;
};

/** Creates the gate of pings, one per process. It remembers unknown UUIDs and keys for a minute, to save reads. */
export function pingGate(env: Env): PingGate {
  const { ports, keys } = env;
  const { table, clock } = ports;
  const urls = makeBuckets(clock, MAX_URLS);
  const unknown = new Map<string, number>();

  return {
    async admit(address, target) {
      spendForAddress(ports, address, 'ping');
      const digest = digestOf('uuid' in target ? target.uuid : target.key);
      spendForUrl('uuid' in target ? digest : `${digest}/${target.slug}`);
      if ((unknown.get(digest) ?? 0) > clock.now()) return undefined;
      const found = 'uuid' in target ? await byUuid(digest) : await byKey(digest, target.slug);
      if (!found) rememberUnknown(digest);
      if (!found || isDisabled(found.account)) return undefined;
      await spend({ ports, tenant: found.account.id, caller: found.account }, 'push');
      return found;
    },
  };

  /** Applies the rate limit of a ping URL. `name`: digest of its secret, because secrets are not kept in memory. */
  function spendForUrl(name: string): void {
    const rate = ports.limiter.rates?.['ping-url'];
    const status = rate && urls.take(name, rate);
    if (status && !status.allowed) throw rateLimited('ping-url', status, ' of a ping URL');
  }

  function rememberUnknown(digest: string): void {
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

  /** Reads the account, up to a second old: a change by the operator may take a second to have an effect. */
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
