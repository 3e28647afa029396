import type { ActionItem } from '#lib/actions/action-item.ts';
import type { ExecutionRecord } from '#lib/actions/execution.ts';
import type { AlertItem } from '#lib/alerting/decide/alert-item.ts';
import type { DecidedTransition } from '#lib/alerting/decide/transition.ts';
import type { DeliveryItem, DeliveryRecord } from '#lib/alerting/notify/delivery-item.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import type { Inside } from './inside.ts';

/**
 * What happened to a service, told by the simulation (test/faults) and by the crash test (test/crash) alike: what the
 * service has stored, what others did to it and saw of it, and when it did not run. Times are epoch ms; `n` orders what
 * happened, 0 where nobody knows when that was. What only one of the two can know is optional.
 */
export type History = {
  /** When the service was asked what it has stored. What happened later may be in here and not stored yet. */
  asked_at: number;
  /** Transitions are complete up to here: what follows from later ones may be stored. */
  complete_until: number;
  /** The slack that time needs: what was planned, begun or due before is over. */
  over_before: { alerts: number; runs: number; slots: number };
  /** What may have gone wrong: nothing, the end of the process at the times of `away`, or anything at any time. */
  failed: 'nothing' | 'process' | 'anything';
  /** When the process did not run, ascending; the time before its first start too, where that is known. */
  away: Span[];

  /** Oldest first. */
  transitions: Transition[];
  /** What entities and checks are; told where nothing changed while it was asked. */
  states?: Map<string, { state: string; seq?: number }>;
  /** Transitions that the feed of the account has. */
  feed?: Set<string>;
  /** Channels of each check, where they never change. */
  channels?: number;
  deliveries: (DeliveryRecord & Pick<DeliveryItem, 'leads_to'>)[];
  /** All that were ever decided; told by the simulation alone. */
  alerts?: AlertItem[];
  executions: Execution[];
  actions: Map<string, ActionVersion[]>;
  /** Of push checks. */
  results: PushResult[];
  silences: Silence[];
  pulled: PulledCheck[];
  /** As the service tells them. */
  outages?: Span[];

  pushes: PushAttempt[];
  received: Received[];
  calls: Call[];
  /** Runs that somebody asked for, as they were answered. */
  asked?: { id: string; dispatch_status: string }[];
  /** What pipelines have reported of their runs; told when none is under way. */
  reports?: Reported[];

  /** What only somebody sees who sees all: the simulation. */
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

/** A run as it began, and as it stands at last; undefined: it went with its action. */
export type Execution = { n: number; at: number; began: ExecutionRecord; last: ExecutionRecord | undefined };

/** An action as it stood from `at` on; undefined: deleted. */
export type ActionVersion = { n: number; at: number; action: Action | undefined };
export type Action = Pick<ActionItem, 'check_id' | 'trigger_type' | 'trigger_to_state' | 'created_at'> & {
  remediation?: ActionItem['remediation'];
  interval_seconds?: number | null | undefined;
};

/**
 * A result that was pushed. `mark` is that of its push, empty for a heartbeat; `kept`: it is there at the end;
 * `history`: it came too late to be judged.
 */
export type PushResult = {
  id: string;
  check_id: string;
  n: number;
  mark: string;
  kept: boolean;
  history?: boolean;
  received_at?: number;
  /** It came by the ping URL, and carries no mark. */
  is_ping?: true;
  record: Record<string, unknown>;
};

/**
 * One request of an agent. `push` is what it means by it, the same in each attempt, and the mark of its result unless
 * it is a heartbeat. `identified`: however often it is sent, it counts once.
 */
export type PushAttempt = {
  check_id: string;
  push: string;
  identified: boolean;
  /** What its result says; undefined: a heartbeat. */
  body: Record<string, unknown> | undefined;
  started_n: number;
  started_at: number;
  /** `record`: all of the answer, where it was kept. */
  answered?: { n: number; at: number; status: number; result_id?: string; record?: object };
  /** The store answered it twice: whether it was first is not known any more. */
  replayed?: boolean;
};

/** One request of a job, to the check of a slug. Times in epoch ms. */
export type PingAttempt = {
  slug: string;
  kind: 'start' | 'success' | 'fail' | 'log';
  rid?: string;
  started_n: number;
  started_at: number;
  answered?: { n: number; at: number; status: number };
  /** It went to an address that was replaced, which ended at `dead_since` at the latest. */
  retired?: string;
  dead_since?: number;
};

/**
 * A failure that silence made, at its deadline. `judged`: when, of which check as it was before, by a run that began at
 * `began_at`.
 */
export type Silence = {
  check_id: string;
  at: number;
  /** When it was to fail, had time counted from an instant, such as that of a sign of life; both epoch ms. */
  failsAfter(since: number, isSign: boolean): number;
  /** A run was not finished in time, and nothing else is missing. */
  overrun?: true;
  judged?: { n: number; at: number; began_at: number; check: CheckItem };
};

/** Slots of a pull check with the same settings, due in (from, to]. */
export type PulledCheck = {
  id: string;
  /** As it was stored at `from`, and when it was changed next. */
  stored?: { check: CheckItem; changed_at: number };
  interval_seconds: number;
  from: number;
  to: number;
  /** How many results each slot has. */
  results: Map<number, number>;
  /** [from, to), and why no slot in it has a result. */
  gaps: (Span & { cause: string })[];
};

/** One alert that reached a receiver; `status` is what that answered (200 for NATS), 0 for nothing. */
export type Received = { delivery_id: string; at: number; status: number; kind?: string };
export const isTaken = ({ status }: Received): boolean => status >= 200 && status < 300;

/** One time that an action's call reached its target; `status` is what that answered, 0 for nothing. */
export type Call = { n: number; execution_id: string; at: number; status: number };

/** One report of a pipeline, sent `tries` times; `status_code` is how the last was answered, if it was. */
export type Reported = {
  execution_id: string;
  status?: string;
  lines: string[];
  tries: number;
  status_code?: number;
};
