import { createHash } from 'node:crypto';
import { type AccountItem, isDisabled } from '#lib/access/account.ts';
import { rateLimited, spend, spendAt } from '#lib/access/rate-gate.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import { digestOfUuid, type PingUrlItem } from '#lib/checks/ping-url.ts';
import type { Env } from '#lib/env.ts';
import { makeBuckets } from '#lib/platform/sharing/buckets.ts';
import type { PingTarget } from './ping-path.ts';

/** Ping URLs that a process holds to their rate, and of those that lead nowhere, how many it remembers. */
const MOST_URLS = 20_000;
const MOST_UNKNOWN = 10_000;
/** How long (ms) an address that leads nowhere is not asked for again. */
const UNKNOWN_MS = 60_000;

/** The check that a ping is for, and its account. */
export type Pinged = { check: CheckItem; account: AccountItem };

export type PingGate = {
  /** Counts a ping of a client address and of a URL, in memory alone. Throws RATE_LIMITED. */
  admit(address: string, target: PingTarget): void;
  /** The check of a UUID; undefined where there is none, or its account is disabled. */
  byUuid(uuid: string): Promise<Pinged | undefined>;
  /** Counts a ping of an account. Throws RATE_LIMITED. */
  count(pinged: Pinged): Promise<void>;
};

/**
 * What a ping passes, one gate a process: rates in memory before the table is asked, and UUIDs that lead nowhere,
 * which are remembered, so that a forgotten crontab costs nothing.
 */
export function pingGate(env: Env): PingGate {
  const { ports, keys } = env;
  const urls = makeBuckets(ports.clock, MOST_URLS);
  const unknown = new Map<string, number>();

  /** The account while it takes pings. */
  async function ofPointer(pointer: PingUrlItem | undefined): Promise<Pinged | 'gone' | 'disabled'> {
    if (!pointer || (pointer.until !== undefined && pointer.until <= ports.clock.now())) return 'gone';
    const { tenant_id, check_id } = pointer;
    const [check, account] = await ports.table.getMany<[CheckItem, AccountItem]>([
      keys.check(tenant_id, check_id),
      keys.account(tenant_id),
    ]);
    if (!check || !account) return 'gone';
    return isDisabled(account) ? 'disabled' : { check, account };
  }

  function remember(digest: string): void {
    ports.metrics.count('UnknownPings');
    unknown.delete(digest);
    if (unknown.size >= MOST_UNKNOWN) unknown.delete(unknown.keys().next().value!);
    unknown.set(digest, ports.clock.now() + UNKNOWN_MS);
  }

  return {
    admit(address, target) {
      spendAt(ports, address, 'ping');
      const rate = ports.limiter.rates?.['ping-url'];
      if (!rate) return;
      const standing = urls.take(nameOf(target), rate);
      if (!standing.allowed) throw rateLimited('ping-url', standing, ' of a ping URL');
    },
    async byUuid(uuid) {
      const digest = digestOfUuid(uuid);
      if ((unknown.get(digest) ?? 0) > ports.clock.now()) return undefined;
      const found = await ofPointer(await ports.table.get<PingUrlItem>(keys.pingUrl(digest)));
      if (found === 'gone') remember(digest);
      return typeof found === 'string' ? undefined : found;
    },
    count: async ({ check, account }) => {
      await spend({ ports, tenant: check.tenant_id, caller: account }, 'push');
    },
  };
}

/** What names a bucket: no secret is kept. */
const nameOf = (target: PingTarget): string =>
  createHash('sha256')
    .update('uuid' in target ? target.uuid : `${target.key}/${target.slug}`)
    .digest('base64url');
