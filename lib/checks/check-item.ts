import type { Via } from '#lib/audit/entry.ts';
import type { Labels } from '#lib/catalog/labels.ts';
import type { CheckState } from '#lib/catalog/states.ts';
import type { Item, Write } from '#lib/platform/ports.ts';

/** The settings that every check has. A stored check has those of its type beside them (`fields` in check-type.ts). */
export type CheckSettings = {
  entity_id: string;
  check_type: string;
  execution_mode: 'pull' | 'push';
  name?: string;
  /** Names it in the account, where it has one (check-slugs.ts). */
  slug?: string;
  /** Its own, where it has any; those of its entity count too. */
  labels?: Labels;
  interval_seconds: number;
  /** Pull: how soon it is probed again while it is undecided; 0: at its next slot. */
  retry_interval_seconds?: number;
  timeout_ms: number;
  failure_threshold: number;
  recovery_threshold: number;
  enabled: boolean;
  config: Record<string, unknown>;
};

/**
 * A check: its settings as the API shows them, and its state, which health decides. One item, so that one read gives
 * both; under 1 KB but for the tenant's own config. A steady check never writes it.
 */
export type CheckItem = Item &
  CheckSettings & {
    v: string;
    tenant_id: string;
    id: string;
    created_at: string;
    updated_at: string;
    /** Counts changes of settings; part of every result's key. */
    rev: number;
    /** Epoch ms of the last creation, enabling or change of settings. */
    settings_at: number;

    /** By action: what is to repair it at a change to this state before anybody is told (lib/actions/bindings.ts). */
    repairs?: Record<string, RemediationSetting>;

    // state
    state: CheckState;
    /** ISO 8601. */
    state_since: string;
    /** Failures in a row, counted up to the threshold; not counted while down. */
    consecutive_failures: number;
    // The next three are absent at 0.
    /** Warnings and failures in a row, while up or unknown. */
    consecutive_warnings?: number;
    /** While down: runs in a row that did not fail. While degraded: those without a warning. */
    consecutive_successes?: number;
    /** While down: runs in a row without a warning. */
    consecutive_oks?: number;
    /** Epoch ms at which the streaks began that may change its state (lib/checks/state/next-state.ts). */
    streaks_since?: Partial<Record<Streak, number>>;
    /** Epoch ms: from when on the state counts, at or before `state_since` (docs/use/states-and-history.md#history). */
    effective_at?: number;
    /**
     * Push: the newest push that wrote this item: `at` is what it is ordered by, `received_at` its arrival (epoch ms).
     * Quiet ones since then are among the results alone. Absent until a first push was applied.
     */
    last_received?: { at: number; received_at: number };
    /** Push: runs that were begun and have not ended, oldest first; at most 10 (results/pushes/open-runs.ts). */
    runs?: OpenRun[];
    /** Push: the UUID of its ping URL, and of the one before while that still works, until then (epoch ms). */
    ping?: { uuid: string; old?: { uuid: string; until: number } };
    /** Push: epoch ms of the last synthetic failure, while it is silent; the next push takes it away. */
    silence_at?: number;
    /** Its latest probe timed out or took long: the next ones go apart from those that are over in a moment. */
    slow?: boolean;
    /** Sort key of its newest result that stands by itself, not in a pack. */
    single?: string;
    /** Members of its type that its latest result has beside those of every result. */
    noted?: Record<string, unknown>;
    /** Push: a detection of silence is under way; every other write of this item removes it. */
    silence_mark?: string;
    /** What alerting remembers. */
    alerts: {
      /** Epoch ms of the last planned page (lib/alerting/decide): the cooldown counts from it. */
      last_planned_at?: number;
      /** Epoch ms of the last planned warning: a cooldown of its own, which holds no page back. */
      last_warned_at?: number;
      /** What was announced to the channels (lib/alerting/decide/notified-state.ts); absent counts as up. */
      announced?: NotifiedStates;
      /** Epoch ms of the latest changes that count for flapping, ascending, where the policy looks at that. */
      changed_at?: number[];
      flapping?: Flapping;
      /** Epoch ms of its changes to down within a day of the last, ascending; at most 20 (lib/alerting). */
      failed_at?: number[];
      /** There from its transition to down until it counts as up again. */
      episode?: Episode;
      /** Channels that a step of an escalation has told, and that are to hear of the recovery. */
      escalated?: string[];
    };
  };

/** The state that an action repairs, and how long it waits after its call before a result says whether it did. */
export type RemediationSetting = { state: 'down' | 'degraded'; settle_seconds: number };

/** Results in a row: failures; failures and warnings; successes with or without a warning; those without. */
export type Streak = 'fails' | 'bads' | 'goods' | 'oks';
/**
 * A run that has begun. Times in epoch ms. `overrun`: it took too long, which was told; it is kept to measure its end.
 */
export type OpenRun = { rid?: string; started_at: number; received_at: number; overrun?: true };

/** It changes too often: since `since`, until it has kept its state up to `until`; both epoch ms. */
export type Flapping = {
  since: number;
  until: number;
  /** An alert has said so: the next ones are held back. */
  told?: true;
};

/** A failure of a check, from its transition to down until it counts as up (docs/use/escalation.md#acknowledgement). */
type Episode = {
  /** The transition to down that it began with. */
  transition_id: string;
  /** Epoch ms from which its steps count, and how many were taken; absent until its first alert. */
  escalation?: { from: number; steps: number };
  acknowledgement?: Acknowledgement;
};

/** Somebody looks after a failure: who, by which way, and since when. */
export type Acknowledgement = {
  /** E-mail address or label of the key; of a link, the channel that it was sent to. */
  by: string;
  via: Via;
  /** Of a link: the channel that it was sent to. */
  channel_id?: string;
  /** Epoch ms. */
  at: number;
  /** Epoch ms; without it, until the check recovers. */
  until?: number;
  note: string;
};

/** A planned alert, and the check state that it reports. */
export type NotifiedAlert = { id: string; reports_state: Exclude<CheckState, 'unknown'> };

/** The state last announced to the channels. `unknown`: not known which. */
export type NotifiedState = NotifiedAlert['reports_state'] | 'unknown';

/**
 * What was announced to a check's channels. `inFlight` are the latest alerts, oldest first: any of them may yet fail on
 * every channel, and then what was announced before it holds. `baseline` is what was announced before all of those.
 */
export type NotifiedStates = { baseline: NotifiedState; inFlight: NotifiedAlert[] };

/** Left out at 0: every check is read once a slot, and nearly all are steady. */
const LEFT_OUT = ['consecutive_warnings', 'consecutive_successes', 'consecutive_oks'] as const;

/**
 * The next version of a check item, and the only way to make one. It leaves out counters that are 0. It drops
 * `silence_mark`, so that a detection of silence under way cannot commit on what it read before this write
 * (docs/develop/recording.md#the-recording-core). The detection itself sets the mark again.
 */
export function nextCheck(
  check: CheckItem,
  token: string,
  changes: Partial<CheckItem>,
  forget: readonly (keyof CheckItem)[] = [],
): CheckItem {
  const { silence_mark: _gone, ...rest } = check;
  const next: CheckItem = { ...rest, ...changes, v: token };
  for (const member of forget) delete next[member];
  for (const counter of LEFT_OUT) if (next[counter] === 0) delete next[counter];
  return next;
}

/** The write of a next version over the one it was made from. */
export const replaceCheck = (old: CheckItem, next: CheckItem): Write => ({ put: next, if: { version: old.v } });
