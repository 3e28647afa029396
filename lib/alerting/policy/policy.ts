import type { SilenceSettings } from '#lib/catalog/silence-settings.ts';
import type { CheckState } from '#lib/catalog/states.ts';
import type { Selector } from '#lib/checks/selector.ts';
import type { Keys } from '#lib/keys.ts';
import type { Item, Write } from '#lib/platform/ports.ts';
import type { PolicySettings } from './settings.ts';

/** A channel as stored. Its config contains secrets: `secrets` of the channel type names them. */
export type Channel = {
  id: string;
  channel_type: string;
  config: Record<string, string>;
  /** Digest of the address (lib/channels/registry.ts): only one channel per digest is notified. */
  destination?: string;
  /** Seconds for which an alert waits for others, to be sent in one message; absent: 0. */
  group_seconds?: number;
  created_at: string;
};

/** Settings of a check and its own channels (at most 10), in one item; absent until the first change. */
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

/** A silence in effect; without `until` (epoch ms) it lasts until a user removes it. */
export type Silence = { by: 'check' | 'entity' | 'account'; id: string; until?: number; reason: string };

export type AlertChannel = Channel & {
  scope: 'check' | 'account';
  /** Notified only of these states; of all if absent. */
  states?: Selector['states'];
};

/** The open window. `until`: end of consecutive ones (epoch ms). `include_dependents`: also holds downstream alerts. */
export type OpenWindow = { id: string; until: number; include_dependents?: true };

/** The policy in effect at a given time: settings, silence, maintenance window, and channels that apply. */
export type Policy = PolicySettings & {
  silenced: boolean;
  silence?: Silence;
  window?: OpenWindow;
  /** Channels of the rotas that steps name: of the person on call, and of all members. Absent: no rota. */
  rotas?: readonly { id: string; on_call: readonly string[]; members: readonly string[] }[];
  channels: AlertChannel[];
};

/** Returns the condition that the policy is unchanged. @param stored absent if the check sets nothing */
export const policyUnchanged = (
  keys: Keys,
  { tenant_id, id }: { tenant_id: string; id: string },
  stored: { v: string } | undefined,
): Write => ({ check: keys.policy(tenant_id, id), if: stored ? { version: stored.v } : 'absent' });

/** Whether all alerts of the check are suppressed. */
export const isSilenced = ({ silenced }: Pick<Policy, 'silenced'>): boolean => silenced;

/** Returns the state that alerts report: degraded counts as up if alerts on degraded are disabled. */
export const stateForAlerting = (
  state: CheckState,
  { notify_on_degraded }: Pick<PolicySettings, 'notify_on_degraded'>,
): CheckState => (state === 'degraded' && !notify_on_degraded ? 'up' : state);

/** Returns the policy of a check without settings. `v` is empty because no item is stored. */
export const emptyPolicy = (
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

type TargetRef = Pick<Channel, 'id' | 'destination'>;

/** Returns the destination of a channel: the digest of its address or, without one, its id. */
export const destinationOf = ({ id, destination = id }: TargetRef): string => destination;
