import type { Via } from '#lib/audit/entry.ts';
import type { Labels } from '#lib/catalog/labels.ts';
import type { CheckState } from '#lib/catalog/states.ts';
import type { Item, Write } from '#lib/platform/ports.ts';

/** Settings of every check. A stored check also has the settings of its type (`fields` in check-type.ts). */
export type CheckSettings = {
  entity_id: string;
  check_type: string;
  execution_mode: 'pull' | 'push';
  name?: string;
  /** Optional name in paths, unique in the account (check-slugs.ts). */
  slug?: string;
  labels?: Labels;
  interval_seconds: number;
  /** Pull: retry interval while a state change is unconfirmed; 0: next slot. */
  retry_interval_seconds?: number;
  timeout_ms: number;
  failure_threshold: number;
  recovery_threshold: number;
  enabled: boolean;
  config: Record<string, unknown>;
};

/** Returns the timeout of a probe in ms, at most its interval (docs/use/checks.md#probes). */
export const probeTimeout = (check: Pick<CheckSettings, 'timeout_ms' | 'interval_seconds'>): number =>
  Math.min(check.timeout_ms, check.interval_seconds * 1000);

/** A check: settings and state in one item, under 1 KB without config. Results of a steady check do not write it. */
export type CheckItem = Item &
  CheckSettings & {
    v: string;
    tenant_id: string;
    id: string;
    created_at: string;
    updated_at: string;
    /** Settings revision, from 1. Part of the keys of results, except those of pushes and manual runs. */
    rev: number;
    /** Epoch ms of the last creation, enabling or settings change. */
    settings_at: number;

    /** Remediations for which alerts wait, by action id (lib/actions/bindings.ts). */
    remediations?: Record<string, RemediationSetting>;

    state: CheckState;
    state_since: string;
    /** Error message of the change to `state`; absent if it had none. */
    error_message?: string;
    /** Consecutive failures, up to the threshold; not counted while down. */
    consecutive_failures: number;
    // The next three are absent at 0.
    /** Consecutive warnings and failures, while up or unknown. */
    consecutive_warnings?: number;
    /** While down: consecutive results without failure. While degraded: without failure or warning. */
    consecutive_successes?: number;
    /** While down: consecutive results without failure or warning. */
    consecutive_oks?: number;
    /** Epoch ms of the start of the streaks that can change the state (lib/checks/state/next-state.ts). */
    streaks_since?: Partial<Record<Streak, number>>;
    /** Epoch ms from which the state counts, at or before `state_since` (docs/use/states-and-history.md#history). */
    effective_at?: number;
    /** Push: times (`PushTimes`) of the newest push that wrote this item; later quiet pushes did not write it. */
    last_received?: { at: number; received_at: number };
    /** Push: job runs without an end, oldest first; at most 10 (results/pushes/open-runs.ts). */
    runs?: OpenRun[];
    /** Push: UUID of the ping URL, and of the replaced one until it expires (epoch ms). */
    ping?: { uuid: string; old?: { uuid: string; until: number } };
    /** Push: epoch ms of the last missed heartbeat; the next push, start or settings change removes it. */
    missed_at?: number;
    /** Whether the latest probe was slow or timed out; further probes then use a separate lane. */
    slow?: boolean;
    /** Pull: sort key of its newest single result. */
    single?: string;
    /** Type-specific properties of the latest result. */
    noted?: Record<string, unknown>;
    /** Push: set while a missed heartbeat is being recorded; every other write of this item removes it. */
    missed_mark?: string;
    alerts: {
      /** Start of the cooldown (epoch ms): last planned alert of `CooldownClass` `page` (lib/alerting/decide). */
      last_planned_at?: number;
      /** Epoch ms of the last planned alert of class `warning`; its separate cooldown does not suppress `page`. */
      last_warned_at?: number;
      /** Notified states of the channels (lib/alerting/decide/notified-state.ts); absent counts as up. */
      announced?: NotifiedStates;
      /** Epoch ms of the latest changes that count towards flapping, ascending, if the policy detects flapping. */
      changed_at?: number[];
      flapping?: Flapping;
      /** Epoch ms of its changes to down within a day of the last one, ascending; at most 20 (lib/alerting). */
      failed_at?: number[];
      /**
       * Failures whose alerts were suppressed by the cooldown alone: the last ended one and the current one; epoch ms,
       * without `to` while it lasts. `count`: failures since the last alert, up to this one.
       */
      suppressed?: { from: number; to?: number; count: number }[];
      episode?: Episode;
      /** Channels that an escalation step has notified, to be notified of the recovery. */
      escalated?: string[];
    };
  };

/** State that an action remediates, and the delay after its execution until a result can verify it. */
export type RemediationSetting = { state: 'down' | 'degraded'; settle_seconds: number };

/** Consecutive results: failures; failures or warnings; successes; successes without a warning. */
export type Streak = 'failures' | 'problems' | 'successes' | 'clean_successes';
/** A started job run; epoch ms. `overrun`: its overrun was recorded; the run is kept to measure its duration. */
export type OpenRun = { rid?: string; started_at: number; received_at: number; overrun?: true };

/** Flapping started at `since` and ends when the state has been stable up to `until`; both epoch ms. */
export type Flapping = {
  since: number;
  until: number;
  /** Whether an alert has reported the flapping, so that further alerts are suppressed. */
  notified?: true;
};

/** Failure of a check, from its transition to down until it counts as up (docs/use/escalation.md#acknowledgement). */
type Episode = {
  transition_id: string;
  /**
   * Start of the escalation (epoch ms) and number of executed steps; absent until the first alert. `unreached`: indexes
   * of the steps that did not reach a person on call.
   */
  escalation?: { from: number; steps: number; unreached?: number[] };
  acknowledgement?: Acknowledgement;
};

export type Acknowledgement = {
  /** E-mail address, key label, or entered name and channel of the link. */
  by: string;
  via: Via;
  channel_id?: string;
  at: number;
  /** Epoch ms; absent: until the check recovers. */
  until?: number;
  note: string;
};

/** A planned alert and the check state that it reports. `failed_at`: start of the check's latest failure (epoch ms). */
export type NotifiedAlert = { id: string; reports_state: Exclude<CheckState, 'unknown'>; failed_at?: number };

/** State last reported to the channels; `unknown` if it is not certain. */
export type NotifiedState = NotifiedAlert['reports_state'] | 'unknown';

/**
 * Reported states. `latest`: latest alerts, oldest first; an alert whose deliveries all fail is removed. `baseline`:
 * state reported before them. `failed_at`: `failed_at` of the alert that reported `baseline`.
 */
export type NotifiedStates = { baseline: NotifiedState; failed_at?: number; latest: NotifiedAlert[] };

/** Counters omitted at 0 to keep items small: each check is read once per slot, and nearly all are steady. */
const OMITTED_AT_ZERO = ['consecutive_warnings', 'consecutive_successes', 'consecutive_oks'] as const;

/**
 * Returns the next version of a check item; the only way to create one. Drops `missed_mark`, so that a concurrent
 * missed-heartbeat detection cannot commit on stale data (docs/develop/recording.md#the-recording-core).
 */
export function nextCheck(
  check: CheckItem,
  token: string,
  changes: Partial<CheckItem>,
  removed: readonly (keyof CheckItem)[] = [],
): CheckItem {
  const { missed_mark: _mark, ...rest } = check;
  const next: CheckItem = { ...rest, ...changes, v: token };
  for (const name of removed) delete next[name];
  for (const counter of OMITTED_AT_ZERO) if (next[counter] === 0) delete next[counter];
  if (next.error_message === '') delete next.error_message;
  return next;
}

export const replaceCheck = (old: CheckItem, next: CheckItem): Write => ({ put: next, if: { version: old.v } });
