import type { ActionItem } from '#lib/actions/action-item.ts';
import type { ExecutionRecord } from '#lib/actions/execution.ts';
import type { AlertItem } from '#lib/alerting/decide/alert-item.ts';
import type { DecidedTransition } from '#lib/alerting/decide/transition.ts';
import type { DeliveryItem, DeliveryRecord } from '#lib/alerting/notify/delivery-item.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import type { Inside } from './inside.ts';

/**
 * The history of a service, in the same form from the simulation (test/faults) and the crash test (test/crash): stored
 * items, external requests and observations, and downtimes. Times are epoch ms; `n` orders events, 0 if the order is
 * unknown. Facts that only one of the two knows are optional.
 */
export type History = {
  /** Time at which the stored items were read. Later external events can be included without their items. */
  read_at: number;
  /** Transitions are complete up to this time; later ones can be missing although their effects are stored. */
  complete_until: number;
  /** Every alert, execution and slot from before these times must have ended. */
  over_before: { alerts: number; runs: number; slots: number };
  /** Possible faults: none, the end of the process at the times of `away`, or anything at any time. */
  failed: 'nothing' | 'process' | 'anything';
  /** Downtimes of the process, ascending; includes the time before its first start if it is known. */
  away: Span[];

  /** Oldest first. */
  transitions: Transition[];
  /** Current states of entities and checks; present if nothing changed during the read. */
  states?: Map<string, { state: string; seq?: number }>;
  /** Transitions in the feed of the account. */
  feed?: Set<string>;
  /** Number of channels of each check, if the channels never change. */
  channels?: number;
  deliveries: (DeliveryRecord & Pick<DeliveryItem, 'leads_to'>)[];
  /** All decided alerts; only from the simulation. */
  alerts?: AlertItem[];
  executions: Execution[];
  actions: Map<string, ActionVersion[]>;
  /** Results of push checks. */
  results: PushResult[];
  missedHeartbeats: MissedHeartbeat[];
  pullChecks: PullCheck[];
  /** Outages as reported by the service. */
  outages?: Span[];

  pushes: PushAttempt[];
  received: Received[];
  calls: Call[];
  /** Manual executions, as returned. */
  manualExecutions?: { id: string; dispatch_status: string }[];
  /** Reports of pipelines; present if none was in progress at the read. */
  reports?: Reported[];

  /** Facts that only the simulation knows. */
  inside?: Inside;
};

export type Span = { from: number; to: number };

export type Transition = Pick<
  DecidedTransition,
  | 'transition_id'
  | 'entity_id'
  | 'check_id'
  | 'from_state'
  | 'to_state'
  | 'check_from_state'
  | 'check_to_state'
  | 'timestamp'
  | 'cause'
  | 'alert'
> & { n: number; at: number; seq?: number };

/** An execution as recorded at its start and at the end of the history; `last` is undefined if it was deleted. */
export type Execution = { n: number; at: number; began: ExecutionRecord; last: ExecutionRecord | undefined };

/** An action from `at` on; undefined: deleted. */
export type ActionVersion = { n: number; at: number; action: Action | undefined };
export type Action = Pick<ActionItem, 'check_id' | 'trigger_type' | 'trigger_to_state' | 'created_at'> & {
  remediation?: ActionItem['remediation'];
  interval_seconds?: number | null | undefined;
};

/**
 * A pushed result. `mark` is that of its push, empty for a heartbeat; `kept`: it exists at the end; `record_only`: it
 * is recorded without effect on the state.
 */
export type PushResult = {
  id: string;
  check_id: string;
  n: number;
  mark: string;
  kept: boolean;
  record_only?: boolean;
  received_at?: number;
  /** Whether it was a ping, which has no mark. */
  is_ping?: true;
  record: Record<string, unknown>;
};

/**
 * One attempt of an agent to send a push. `push` identifies the content. It is the same in each attempt, and is the
 * mark of the result unless it is a heartbeat. `identified`: the push counts once, however often it is sent.
 */
export type PushAttempt = {
  check_id: string;
  push: string;
  identified: boolean;
  /** Content of its result; undefined: a heartbeat. */
  body: Record<string, unknown> | undefined;
  started_n: number;
  started_at: number;
  /** `record`: the whole response, if it was kept. */
  answered?: { n: number; at: number; status: number; result_id?: string; record?: object };
  /** Whether a fault repeated a write that had succeeded, so that it is unknown whether this attempt was the first. */
  replayed?: boolean;
};

/** One ping of a job, to the check of a slug. Times in epoch ms. */
export type PingAttempt = {
  slug: string;
  kind: 'start' | 'success' | 'fail' | 'log';
  rid?: string;
  started_n: number;
  started_at: number;
  answered?: { n: number; at: number; status: number };
  /** Path of the replaced URL that it used; the service rejects that URL from `dead_since` at the latest. */
  retired?: string;
  dead_since?: number;
};

/**
 * A failure by a missed heartbeat, at its deadline. `recorded`: number and time of the commit that records it, the
 * start of its function run, and the check before it.
 */
export type MissedHeartbeat = {
  check_id: string;
  at: number;
  /** Returns the failure time if time counts from `since`, such as a heartbeat; both epoch ms. */
  failsAfter(since: number, isHeartbeat: boolean): number;
  /** Whether it is a job run that did not end in time, not a heartbeat that is missing. */
  overrun?: true;
  recorded?: { n: number; at: number; began_at: number; check: CheckItem };
};

/** Slots of a pull check with the same settings, due in (from, to]. */
export type PullCheck = {
  id: string;
  /** The stored check at `from`, and the time of its next change. */
  stored?: { check: CheckItem; changed_at: number };
  interval_seconds: number;
  from: number;
  to: number;
  /** Number of results by slot. */
  results: Map<number, number>;
  /** Gaps [from, to) with their causes. */
  gaps: (Span & { cause: string })[];
};

/**
 * A message at a receiver; `status` is the response (200 for NATS), 0 for none; `count` the number of its alerts, 1 by
 * default.
 */
export type Received = { delivery_id: string; at: number; status: number; kind?: string; count?: number };
export const isAccepted = ({ status }: Received): boolean => status >= 200 && status < 300;

/** An action's request at its target; `status` is the response, 0 for none. */
export type Call = { n: number; execution_id: string; at: number; status: number };

/** A report of a pipeline, sent `tries` times; `status_code` is the last response, if any. */
export type Reported = {
  execution_id: string;
  status?: string;
  lines: string[];
  tries: number;
  status_code?: number;
};
