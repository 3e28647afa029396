import type { WindowItem } from '#lib/checks/maintenance.ts';
import type { Selector } from '#lib/checks/selector.ts';
import type { Env } from '#lib/env.ts';
import { ACCOUNT_CHANNELS, ROTAS, SILENCES, WINDOWS } from '#lib/keys.ts';
import type { Item } from '#lib/platform/ports.ts';
import { allOf } from '#lib/platform/table/pages.ts';
import type { Channel } from './policy.ts';
import type { RotaItem } from './rotas.ts';
import type { PolicySettings } from './settings.ts';

/** Default policy of an account. `v` is the version of all its alerting settings, which are cached by it. */
export type AlertingHead = Item & { v: string; policy: Partial<PolicySettings>; updated_at: string };

export type AccountChannel = Item &
  Channel & {
    v: string;
    name: string;
    slug?: string;
    /** null: all checks, in every state. */
    applies_to: Selector | null;
    enabled: boolean;
    updated_at: string;
  };

export type AccountSilence = Item & {
  v: string;
  id: string;
  applies_to: Selector | null;
  until: number;
  reason: string;
  created_at: string;
  /** E-mail address, or label of the key. */
  created_by: string;
};

export type AccountAlerting = {
  policy: Partial<PolicySettings>;
  channels: readonly AccountChannel[];
  silences: readonly AccountSilence[];
  windows: readonly WindowItem[];
  rotas: readonly RotaItem[];
};

export const NO_ALERTING: AccountAlerting = { policy: {}, channels: [], silences: [], windows: [], rotas: [] };

/** Maximum number of cached accounts, up to about 1 MB each. */
const MAX_CACHED = 200;
type Known = Map<string, { v: string; alerting: AccountAlerting }>;
const knownBy = new WeakMap<object, Known>();

/** Returns the alerting settings, read once per version and process. @param head read with strong consistency */
export async function alertingOf(
  { ports, keys }: Env<'table'>,
  tenant: string,
  head: AlertingHead | undefined,
): Promise<AccountAlerting> {
  if (!head) return NO_ALERTING;
  const known: Known = knownBy.get(ports.table) ?? new Map();
  knownBy.set(ports.table, known);
  const kept = known.get(tenant);
  if (kept?.v === head.v) return kept.alerting;
  const alerting = alertingIn(head, await allOf(ports.table, { partition: keys.alerting(tenant) }));
  known.delete(tenant);
  const [oldest] = known.keys();
  if (oldest !== undefined && known.size >= MAX_CACHED) known.delete(oldest);
  known.set(tenant, { v: head.v, alerting });
  return alerting;
}

export async function readAlerting(env: Env<'table'>, tenant: string): Promise<AccountAlerting> {
  return alertingOf(env, tenant, await env.ports.table.get<AlertingHead>(env.keys.alertingHead(tenant)));
}

function alertingIn(head: AlertingHead, items: readonly Item[]): AccountAlerting {
  const under = <T extends Item>(prefix: string) => items.filter((item): item is T => item.sk.startsWith(prefix));
  return {
    policy: head.policy,
    channels: under<AccountChannel>(ACCOUNT_CHANNELS),
    silences: under<AccountSilence>(SILENCES),
    windows: under<WindowItem>(WINDOWS),
    rotas: under<RotaItem>(ROTAS),
  };
}
