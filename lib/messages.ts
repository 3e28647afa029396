import * as z from 'zod';
import type { Message } from '#lib/platform/ports.ts';

/**
 * What travels on each queue. A message outlives the code that sent it (a redeploy, a restart): once released, add
 * members only as optional, and keep reading what was sent before.
 */

/**
 * A slot (epoch ms) of a cell: its checks of this interval are due. With `only`, just these of them: one that is new or
 * was changed, a slow one, or one that has to be tried again.
 */
export const Job = z.object({
  tenant_id: z.string(),
  cell: z.string(),
  interval_seconds: z.number().int(),
  slot: z.number().int(),
  only: z.array(z.string()).optional(),
  /**
   * Not at the slot itself: its one check is undecided with these settings, and is probed again at `at`, unless `until`
   * has come (epoch ms; lib/results/slots/retries.ts).
   */
  retry: z.object({ at: z.number().int(), until: z.number().int(), rev: z.number().int() }).optional(),
});
export type Job = z.infer<typeof Job>;

/** A deadline of a check: `at` (epoch ms) is when it was due. */
export const DueDeadline = z.object({
  kind: z.enum(['missed_heartbeat', 'reminder', 'late', 'escalation', 'impact', 'hold']),
  tenant_id: z.string(),
  entity_id: z.string(),
  check_id: z.string(),
  at: z.number().int(),
  /** A held alert is looked at before its deadline: something that it waits for has happened. */
  woken: z.literal(true).optional(),
});
export type DueDeadline = z.infer<typeof DueDeadline>;

/**
 * What held alerts of an account back has ended before its time, at `at` (epoch ms): all that waits for its end is
 * looked at now.
 */
export const Wake = z.object({ wake: z.string(), at: z.number().int() });
export type Wake = z.infer<typeof Wake>;

/**
 * The message that wakes an account's alerts. It is sent twice: before the change is written, for `WRITTEN_MS` later,
 * as a crash would lose it, and decisions by what held before may still be on their way; and once more after it.
 */
export const wakeMessage = (tenant: string, at: number, after = 0): Message<Wake> => ({
  body: { wake: tenant, at },
  not_before: at + after,
  group: tenant,
});

/** After so long (ms) a write that was begun has taken place or never will. */
export const WRITTEN_MS = 15_000;

/** What a deleted check left behind; without `check_id`, what a deleted entity did beside its checks. */
const ReclaimEntity = z.object({ tenant_id: z.string(), entity_id: z.string(), check_id: z.string().optional() });
/** A cell that a check has left, or an interval of it. */
const ReclaimCell = z.object({ tenant_id: z.string(), cell: z.string() });
/** The history of a deleted action. */
const ReclaimAction = z.object({ tenant_id: z.string(), action_id: z.string() });

/** All that a deleted account holds. */
const ReclaimAccount = z.object({ tenant_id: z.string(), account: z.literal(true) });

/** Something for the timeline of an incident, under its check: a transition or an alert. */
const OfIncident = z.object({ tenant_id: z.string(), check_id: z.string(), sk: z.string() });
/** An incident that may be over. */
const MaybeOver = z.object({ tenant_id: z.string(), incident_id: z.string() });

/** A run of an action that is due, or one to be looked after. */
const ActionMessage = z.discriminatedUnion('kind', [
  /** Fired by the transition that stands under the check. */
  z.object({
    kind: z.literal('state_change'),
    tenant_id: z.string(),
    action_id: z.string(),
    check_id: z.string(),
    transition_sk: z.string(),
  }),
  /** Due at `slot` (epoch ms). */
  z.object({ kind: z.literal('schedule'), tenant_id: z.string(), action_id: z.string(), slot: z.number().int() }),
  /**
   * The guarded action has a verdict or an attempt due. `asked`: its pipeline has said how it ended, which may decide
   * before that.
   */
  z.object({
    kind: z.literal('remediation'),
    tenant_id: z.string(),
    action_id: z.string(),
    asked: z.literal(true).optional(),
  }),
  /** Begun some time ago: if it is still pending, the process that ran it died. */
  z.object({ kind: z.literal('settle'), tenant_id: z.string(), execution_id: z.string() }),
]);

export const messages = {
  /** The minute's tick; with `shard` it is for that shard alone. */
  tick: z.object({ scheduled_time: z.string(), shard: z.number().int().optional() }),
  /** Probes due within the same moment. */
  job: z.object({ jobs: z.array(Job) }),
  /** Probes of checks that were slow last time, apart from those that are over in a moment. */
  slow: z.object({ slow_jobs: z.array(Job) }),
  /** Deadlines within the same moment. */
  deadline: z.union([z.object({ deadlines: z.array(DueDeadline) }), Wake]),
  /** A transition whose fan-out failed once. */
  notify: z.object({ tenant_id: z.string(), check_id: z.string(), sk: z.string() }),
  /** One delivery to attempt; `turn` (epoch ms) is the one it took among those to the same URL. */
  delivery: z.object({ tenant_id: z.string(), delivery_id: z.string(), turn: z.number().optional() }),
  /**
   * Hours and days of a cell to be rolled up: all that are over and not yet made; then those hours or days anew that
   * hold an instant of `from` to `to`, if they were last made before `after` (all epoch ms).
   */
  rollup: z.object({
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
  }),
  reclaim: z.union([ReclaimAccount, ReclaimAction, ReclaimCell, ReclaimEntity]),
  /** A transition whose actions could not be found once. */
  plan: z.object({ tenant_id: z.string(), check_id: z.string(), sk: z.string() }),
  action: ActionMessage,
  incident: z.union([OfIncident, MaybeOver]),
};

/**
 * The receive after which a message becomes a dead letter, and what it stands for ends as failed. It is the most that
 * SQS allows, as receives that Lambda throttled count too; usually time decides first (lib/platform/batch.ts).
 */
export const LAST_RECEIVE = 1000;

/** A message waits 15 minutes at most (SQS), ms with some to spare; a later time is waited for in stages. */
export const MAX_WAIT_MS = 14 * 60_000;

export type QueueName = keyof typeof messages;
/** What each queue takes. */
export type MessageBodies = { [Name in QueueName]: z.infer<(typeof messages)[Name]> };
export type MessageOf<Name extends QueueName> = MessageBodies[Name];
/** As it is sent: with when it is due, and whose work it is. */
export type MessageTo<Name extends QueueName> = Message<MessageOf<Name>>;

/** What the prober is given: probes of one of its lanes, or deadlines. */
export const ProberWork = z.union([
  messages.job.transform(({ jobs }) => ({ lane: 'quick' as const, jobs })),
  messages.slow.transform(({ slow_jobs }) => ({ lane: 'slow' as const, jobs: slow_jobs })),
  messages.deadline,
]);
