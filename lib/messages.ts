import * as z from 'zod';
import type { Message } from '#lib/platform/ports.ts';

/** Messages of the queues. They outlive releases: add only optional properties, and accept old messages. */

/** Slot (epoch ms) of a cell whose checks are due. `only`: ids of the checks to probe; absent for all of the cell. */
export const Job = z.object({
  tenant_id: z.string(),
  cell: z.string(),
  interval_seconds: z.number().int(),
  slot: z.number().int(),
  only: z.array(z.string()).optional(),
  /** Retry at `at` unless `until` has passed (epoch ms) or the revision is not `rev` (lib/results/slots/retries.ts). */
  retry: z.object({ at: z.number().int(), until: z.number().int(), rev: z.number().int() }).optional(),
});
export type Job = z.infer<typeof Job>;

/** Deadline of a check; `at` (epoch ms): its due time. */
export const DueDeadline = z.object({
  kind: z.enum(['missed_heartbeat', 'reminder', 'late', 'escalation', 'impact', 'hold']),
  tenant_id: z.string(),
  entity_id: z.string(),
  check_id: z.string(),
  at: z.number().int(),
  /** Whether a held alert is rechecked before its deadline, because the event that it waits for has happened. */
  woken: z.literal(true).optional(),
});
export type DueDeadline = z.infer<typeof DueDeadline>;

/** Recheck of suppressed and held alerts of account `wake`: their reason may have ended early, at `at` (epoch ms). */
export const Wake = z.object({ wake: z.string(), at: z.number().int() });
export type Wake = z.infer<typeof Wake>;

/**
 * Returns the message that rechecks an account's alerts. A change sends one before its write, in case a crash prevents
 * the one after it. The first is delayed by WRITTEN_MS, because decisions by the old state may be in progress.
 */
export const wakeMessage = (tenant: string, at: number, delay_ms = 0): Message<Wake> => ({
  body: { wake: tenant, at },
  not_before: at + delay_ms,
  group: tenant,
});

/** Upper bound (ms) for a started write to commit or fail. */
export const WRITTEN_MS = 15_000;

/** Delivery to attempt. `turn`: its reserved send time. `due`: time of the attempt of this message. In epoch ms. */
const Delivery = z.object({
  tenant_id: z.string(),
  delivery_id: z.string(),
  turn: z.number().optional(),
  due: z.number().optional(),
});
export type DeliveryMessage = z.infer<typeof Delivery>;
/** Mail address whose owner is asked to accept mails of the account; `again`: even if asked before. */
const AddressRequest = z.object({ tenant_id: z.string(), address: z.string(), again: z.literal(true).optional() });
export type AddressRequest = z.infer<typeof AddressRequest>;

/** Items of a deleted check; without `check_id`, items of a deleted entity. */
const ReclaimEntity = z.object({ tenant_id: z.string(), entity_id: z.string(), check_id: z.string().optional() });
/** Cell whose checks are recounted, because one of them is no longer probed at its previous interval. */
const ReclaimCell = z.object({ tenant_id: z.string(), left_cell: z.string() });
/** Executions of a deleted action. */
const ReclaimAction = z.object({ tenant_id: z.string(), action_id: z.string() });

const ReclaimAccount = z.object({ tenant_id: z.string(), account: z.literal(true) });

/** Cell whose due rollups are made. Then its hours or days in `revise` are remade if made before `after` (epoch ms). */
const Rollup = z.object({
  tenant_id: z.string(),
  cell: z.string(),
  revise: z
    .object({
      of: z.enum(['hour', 'day']),
      from: z.number().int(),
      to: z.number().int(),
      after: z.number().int(),
    })
    .optional(),
});
export type RollupMessage = z.infer<typeof Rollup>;

/** Transition or alert of a check, for the timeline of an incident. */
const OfIncident = z.object({ tenant_id: z.string(), check_id: z.string(), sk: z.string() });
const MaybeOver = z.object({ tenant_id: z.string(), incident_id: z.string() });

const ActionMessage = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('state_change'),
    tenant_id: z.string(),
    action_id: z.string(),
    check_id: z.string(),
    transition_sk: z.string(),
  }),
  /** Due at `slot` (epoch ms). */
  z.object({ kind: z.literal('schedule'), tenant_id: z.string(), action_id: z.string(), slot: z.number().int() }),
  /** Verdict or next attempt of a guarded action is due. `early`: verdict now, because the pipeline failed. */
  z.object({
    kind: z.literal('remediation'),
    tenant_id: z.string(),
    action_id: z.string(),
    early: z.literal(true).optional(),
  }),
  /** Recheck of an execution after its maximum duration: if it is still pending, its process died. */
  z.object({ kind: z.literal('settle'), tenant_id: z.string(), execution_id: z.string() }),
]);

/** Status page to publish (without `page_id`: all) unless a rendering began at `not_older_than` (epoch ms) or later. */
const Publish = z.object({ tenant_id: z.string(), page_id: z.string().optional(), not_older_than: z.number().int() });
export type PublishMessage = z.infer<typeof Publish>;

/** Monthly report of a user that was due at `at` (epoch ms). */
const Report = z.object({ tenant_id: z.string(), recipient_id: z.string(), at: z.number().int() });
export type ReportMessage = z.infer<typeof Report>;

/**
 * Delay (ms) from the change of a page to its rendering, so that one rendering shows several changes. Also the minimum
 * time between the starts of two renderings. Longer than CLOCK_TOLERANCE_MS.
 */
export const MERGE_MS = 2_000;

/** Returns the message that publishes a page after a change at `now` (epoch ms); without `page_id`, all pages. */
export const publishMessage = (tenant_id: string, now: number, page_id?: string): Message<PublishMessage> => ({
  body: { tenant_id, ...(page_id !== undefined && { page_id }), not_older_than: now + MERGE_MS },
  not_before: now + MERGE_MS,
  group: tenant_id,
});

export const messages = {
  /** Tick of a minute; `shard`: only for that shard. */
  tick: z.object({ scheduled_time: z.string(), shard: z.number().int().optional() }),
  job: z.object({ jobs: z.array(Job) }),
  /** Probes of checks that were slow, separate from fast ones. */
  slow: z.object({ slow_jobs: z.array(Job) }),
  deadline: z.union([z.object({ deadlines: z.array(DueDeadline) }), Wake]),
  /** Transition or alert that the notifier could not handle. */
  notify: z.object({ tenant_id: z.string(), check_id: z.string(), sk: z.string() }),
  /** Work of the deliverer, the only function that reaches the mail server. */
  delivery: z.union([Delivery, AddressRequest]),
  /** Work that can wait: rollups and cleanup. They share a queue, because polling a queue costs money. */
  housekeeping: z.union([Rollup, ReclaimAccount, ReclaimAction, ReclaimCell, ReclaimEntity]),
  /** Transition that the action-planner could not handle. */
  plan: z.object({ tenant_id: z.string(), check_id: z.string(), sk: z.string() }),
  action: ActionMessage,
  incident: z.union([OfIncident, MaybeOver]),
  /** Work of the publisher, which reads figures of a whole account. */
  publish: z.union([Publish, Report]),
};

/**
 * Receives after which a message, except a tick, job or deadline, becomes a dead letter and its work fails: the maximum
 * of SQS, because receives that Lambda throttles count. Usually the time limit ends it first (lib/platform/batch.ts).
 */
export const LAST_RECEIVE = 1000;

/** Maximum delay of a message, ms: 15 minutes in SQS, less a reserve; later times are reached in stages. */
export const MAX_WAIT_MS = 14 * 60_000;

export type QueueName = keyof typeof messages;
export type MessageBodies = { [Name in QueueName]: z.infer<(typeof messages)[Name]> };
export type MessageOf<Name extends QueueName> = MessageBodies[Name];
export type MessageTo<Name extends QueueName> = Message<MessageOf<Name>>;

export const ProberWork = z.union([
  messages.job.transform(({ jobs }) => ({ lane: 'quick' as const, jobs })),
  messages.slow.transform(({ slow_jobs }) => ({ lane: 'slow' as const, jobs: slow_jobs })),
  messages.deadline,
]);
