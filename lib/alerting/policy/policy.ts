import type { SilenceSettings } from '#lib/catalog/silence-settings.ts';
import type { CheckState } from '#lib/catalog/states.ts';
import type { Keys } from '#lib/keys.ts';
import type { Item, Write } from '#lib/platform/ports.ts';
import type { Selector } from './selector.ts';
import type { PolicySettings } from './settings.ts';

/** A channel as stored; its config holds secrets: `secrets` in the channel type says which members. */
export type Channel = {
  id: string;
  channel_type: string;
  config: Record<string, string>;
  /** Digest of where it sends to (lib/channels/registry.ts): of two that have the same, one is told. */
  destination?: string;
  created_at: string;
};

/** What was set on a check, and its own channels (at most 10), in one item. Until the first change none is stored. */
export type PolicyItem = Item &
  Partial<PolicySettings> &
  SilenceSettings & {
    v: string;
    tenant_id: string;
    check_id: string;
    entity_id: string;
    channels: Channel[];
    updated_at: string;
  };

/** Why alerts are held back: what says so, and until when (epoch ms); without it, until it is lifted. */
export type Silence = { by: 'check' | 'entity' | 'account'; id: string; until?: number; reason: string };

/** A channel that a check's alerts may go to. */
export type AlertChannel = Channel & {
  scope: 'check' | 'account';
  /** Told of these states alone; of all where absent. */
  states?: Selector['states'];
};

/**
 * A check's maintenance at a moment: a window that is open, when none is any more (epoch ms), and whether one of them
 * holds what follows from it, too.
 */
export type OpenWindow = { id: string; until: number; include_dependents?: true };

/** The policy of a check as it counts at a moment: settings, what holds alerts back, every channel that applies. */
export type Policy = PolicySettings & {
  silenced: boolean;
  silence?: Silence;
  window?: OpenWindow;
  channels: AlertChannel[];
};

/** What holds a transaction to the policy that it was decided on. @param stored absent where the check sets nothing */
export const policyAsRead = (
  keys: Keys,
  { tenant_id, id }: { tenant_id: string; id: string },
  stored: { v: string } | undefined,
): Write => ({ check: keys.policy(tenant_id, id), if: stored ? { version: stored.v } : 'absent' });

/** Whether all alerts of the check are held back. */
export const isSilenced = ({ silenced }: Pick<Policy, 'silenced'>): boolean => silenced;

/** What channels are to believe of a check: degraded counts as up where it is not announced. */
export const stateForAlerting = (
  state: CheckState,
  { notify_on_degraded }: Pick<PolicySettings, 'notify_on_degraded'>,
): CheckState => (state === 'degraded' && !notify_on_degraded ? 'up' : state);

/** The policy of a check on which nothing was set yet. `v` is empty: no item is stored. */
export const defaultPolicy = (
  keys: Keys,
  check: { tenant_id: string; entity_id: string; id: string; created_at: string },
): PolicyItem => ({
  ...keys.policy(check.tenant_id, check.id),
  v: '',
  tenant_id: check.tenant_id,
  check_id: check.id,
  entity_id: check.entity_id,
  channels: [],
  updated_at: check.created_at,
});

export type TargetRef = Pick<Channel, 'id' | 'destination'>;

/** Where a channel leads: two that lead to the same place have the same destination. */
export const destinationOf = ({ id, destination = id }: TargetRef): string => destination;
