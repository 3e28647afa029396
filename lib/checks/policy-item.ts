import type { CheckState } from '#lib/catalog/states.ts';
import type { Keys } from '#lib/keys.ts';
import type { Item } from '#lib/platform/ports.ts';

/** A channel as stored; its config holds secrets: `secrets` in the channel type says which members. */
export type Channel = {
  id: string;
  channel_type: string;
  config: Record<string, string>;
  created_at: string;
};

/** The policy of a check and its channels (at most 10) in one item. Until the first change none is stored. */
export type PolicyItem = Item & {
  v: string;
  tenant_id: string;
  check_id: string;
  entity_id: string;
  cooldown_seconds: number;
  notify_on_recovery: boolean;
  notify_on_degraded: boolean;
  silenced: boolean;
  repeat_interval_seconds: number;
  catch_up: boolean;
  flap_threshold: number;
  flap_window_seconds: number;
  channels: Channel[];
  updated_at: string;
};

/** Whether all alerts of the check are held back. */
export const isSilenced = ({ silenced }: Pick<PolicyItem, 'silenced'>): boolean => silenced;

/** What channels are to believe of a check: degraded counts as up where it is not announced. */
export const shown = (state: CheckState, { notify_on_degraded }: Pick<PolicyItem, 'notify_on_degraded'>): CheckState =>
  state === 'degraded' && !notify_on_degraded ? 'up' : state;

/** The policy of a check that never changed it (docs/CONTRACT.md#policies). `v` is empty: no item is stored. */
export const defaultPolicy = (
  keys: Keys,
  check: { tenant_id: string; entity_id: string; id: string; created_at: string },
): PolicyItem => ({
  ...keys.policy(check.tenant_id, check.id),
  v: '',
  tenant_id: check.tenant_id,
  check_id: check.id,
  entity_id: check.entity_id,
  cooldown_seconds: 300,
  notify_on_recovery: true,
  notify_on_degraded: true,
  silenced: false,
  repeat_interval_seconds: 0,
  catch_up: true,
  flap_threshold: 0,
  flap_window_seconds: 3600,
  channels: [],
  updated_at: check.created_at,
});
