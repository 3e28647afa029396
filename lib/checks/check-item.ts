import type { CheckState } from '#lib/catalog/states.ts';
import type { Item } from '#lib/platform/ports.ts';

/** The settings that every check has. A stored check has those of its type beside them (`fields` in check-type.ts). */
export type CheckSettings = {
  entity_id: string;
  check_type: string;
  execution_mode: 'pull' | 'push';
  name?: string;
  /** Names it in the account, where it has one (check-slugs.ts). */
  slug?: string;
  interval_seconds: number;
  timeout_ms: number;
  failure_threshold: number;
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

    // state
    state: CheckState;
    /** ISO 8601. */
    state_since: string;
    /** Failures in a row, saturating at the threshold. */
    consecutive_failures: number;
    /** Epoch ms: when the first of these was checked. */
    failing_since?: number;
    /** Epoch ms: from when on the state counts, at or before `state_since` (docs/CONTRACT.md#history). */
    effective_at?: number;
    /**
     * Push: the newest push that wrote this item: `at` is what it is ordered by, `received_at` its arrival (epoch ms).
     * Quiet ones since then are among the results alone. Absent until a first push was applied.
     */
    last_received?: { at: number; received_at: number };
    /** Push: runs that were begun and have not ended, oldest first; at most 10 (health/pings/open-runs.ts). */
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
      /** Epoch ms of the last planned state-change alert: the cooldown counts from it. */
      last_planned_at?: number;
      /** What was announced to the channels (lib/health/state/announced.ts); absent counts as up. */
      announced?: Announced;
    };
  };

/**
 * A run that has begun. Times in epoch ms. `overrun`: it took too long, which was told; it is kept to measure its end.
 */
export type OpenRun = { rid?: string; started_at: number; received_at: number; overrun?: true };

/** A planned alert, and the check state that it announces. */
export type AnnouncedAlert = { id: string; announces: 'up' | 'down' };

/** The state last announced to the channels. `unknown`: up or down, not known which. */
export type AnnouncedState = 'up' | 'down' | 'unknown';

/**
 * What was announced to a check's channels. `inFlight` are the latest alerts, oldest first: any of them may yet fail on
 * every channel, and then what was announced before it holds. `baseline` is what was announced before all of those.
 */
export type Announced = { baseline: AnnouncedState; inFlight: AnnouncedAlert[] };
