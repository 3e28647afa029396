import type { Durability, Store } from '#infra/local/store/store.ts';
import { queues as specs } from '#infra/topology.ts';
import type { QueueName } from '#lib/messages.ts';
import { MAX_DELAY_MS, serializeMessage } from '#lib/platform/batch.ts';
import type { Clock, Log, Message, Queues } from '#lib/platform/ports.ts';

/** Message in flight; `receives` includes this receive and serves as its receipt. */
export type Received = {
  id: number;
  /** Tenant of the work; empty if tenants share the message. */
  group_id: string;
  body: string;
  sent_at: number;
  receives: number;
  first_received_at: number;
};

type DeadLetter = {
  id: number;
  queue: string;
  body: string;
  sent_at: number;
  receives: number;
  dead_at: number;
};

/** The queues port, and the operations of an event source that reads the queues. */
export type LocalQueues = Omit<Queues, 'send'> & {
  /** @param durability `soon` for an idempotent function (store.ts) */
  send(queue: string, messages: readonly Message[], durability?: Durability): Promise<void>;
  /** Makes all messages in flight due again. Called at the start of the process, the only consumer. */
  recover(): Promise<void>;
  /** Calls `wake` after each commit that adds messages to the queue. */
  onSend(queue: QueueName, wake: () => void): void;
  /** Returns the time at which the next message is due (epoch ms); undefined if the queue is empty. */
  nextDue(queue: QueueName): number | undefined;
  /** Takes up to `most` due messages and hides them for `hide_ms`. */
  receive(queue: QueueName, most: number, hide_ms: number): Promise<Received[]>;
  /** Takes due messages in turn from groups below their share, first from the group with the fewest in flight. */
  receiveFairly(queue: QueueName, most: number, hide_ms: number, inFlight: InFlight): Promise<Received[]>;
  /** Deletes finished messages. Failed messages become due after a pause, or dead letters after their last receive. */
  settle(queue: QueueName, done: Received[], failed: Received[]): Promise<void>;
  deadLetters(): DeadLetter[];
  /** Deletes dead letters older than `before` (epoch ms). Releases messages delayed because the clock was set back. */
  sweep(before: number): Promise<void>;
};

/** Messages in flight by group, and the maximum per group while others wait. */
type InFlight = { groups: ReadonlyMap<string, number>; share: number };

/** Queues whose messages wait only between attempts: a delay over MAX_DELAY_MS comes from a clock that was ahead. */
const BETWEEN_ATTEMPTS: readonly QueueName[] = ['notify', 'delivery', 'plan'];
/** Messages per write of a large send, so that other writes do not wait long. */
const CHUNK = 25;
/** Pause of a failed message: 2 s, doubled each time up to 30 s. In SQS, the visibility timeout is the pause. */
const FIRST_PAUSE_MS = 2000;
const MAX_PAUSE_MS = 30_000;

type QueueOptions = { clock: Pick<Clock, 'now'>; log: Log; first_pause_ms?: number };

/** Creates queues on the store. Sends share commits; after a power cut a message may be delivered twice. */
export function makeQueues(store: Store, { clock, log, first_pause_ms = FIRST_PAUSE_MS }: QueueOptions): LocalQueues {
  const { db } = store;
  const insert = db.prepare('INSERT INTO messages (queue, group_id, body, sent_at, visible_at) VALUES (?, ?, ?, ?, ?)');
  const due = db.prepare('SELECT min(visible_at) AS at FROM messages WHERE queue = ? AND dead_at IS NULL');
  const bury = db.prepare(
    `UPDATE messages SET dead_at = ?1, in_flight = 0
     WHERE id IN (SELECT value FROM json_each(?2)) AND receives >= ?3 RETURNING id, body, receives`,
  );
  const oldest = db.prepare(
    `SELECT id FROM messages INDEXED BY messages_by_due WHERE queue = ? AND dead_at IS NULL AND visible_at <= ?
     ORDER BY visible_at, id LIMIT ?`,
  );
  // Each step finds the next group in the index, so the cost does not depend on the number of messages.
  const groups = db.prepare(
    `WITH RECURSIVE step (group_id) AS (
       SELECT min(group_id) FROM messages WHERE queue = ?1 AND dead_at IS NULL
       UNION ALL
       SELECT (SELECT min(group_id) FROM messages WHERE queue = ?1 AND dead_at IS NULL AND group_id > step.group_id)
       FROM step WHERE step.group_id IS NOT NULL
     ) SELECT group_id FROM step WHERE group_id IS NOT NULL`,
  );
  const oldestOfGroup = db.prepare(
    `SELECT id FROM messages INDEXED BY messages_by_group
     WHERE queue = ? AND group_id = ? AND dead_at IS NULL AND visible_at <= ? ORDER BY visible_at, id LIMIT ?`,
  );
  const take = db.prepare(
    `UPDATE messages SET receives = receives + 1, visible_at = ?1, in_flight = 1,
       first_received_at = coalesce(first_received_at, ?2)
     WHERE id IN (SELECT value FROM json_each(?3)) AND dead_at IS NULL
     RETURNING id, group_id, body, sent_at, receives, first_received_at`,
  );
  // The number of receives is the receipt: a consumer that was too slow no longer owns the message.
  const remove = db.prepare('DELETE FROM messages WHERE id = ? AND receives = ?');
  const release = db.prepare('UPDATE messages SET visible_at = ?, in_flight = 0 WHERE id = ? AND receives = ?');
  const releaseDelayed = db.prepare(
    'UPDATE messages SET visible_at = ?1 WHERE queue = ?2 AND dead_at IS NULL AND in_flight = 0 AND visible_at > ?3',
  );
  const wakes = new Map<string, () => void>();

  const logDead = (queue: string, { id, body, receives }: Pick<Received, 'id' | 'body' | 'receives'>) =>
    log.error('message failed permanently and became a dead letter', { queue, message_id: id, receives, body });

  async function receive(queue: QueueName, hideMs: number, choose: (now: number) => number[]): Promise<Received[]> {
    const { dead, taken } = await store.write(() => {
      const now = clock.now();
      const ids = choose(now);
      if (ids.length === 0) return { dead: [], taken: [] };
      const chosen = JSON.stringify(ids);
      return {
        dead: bury.all(now, chosen, specs[queue].max_receives) as unknown as Received[],
        taken: take.all(now + hideMs, now, chosen) as unknown as Received[],
      };
    }, 'soon');
    for (const one of dead) logDead(queue, one);
    return taken.sort((a, b) => a.id - b.id);
  }

  return {
    send: async (queue, messages, durability?: Durability) => {
      if (!(queue in specs)) throw new Error(`Queue ${queue} does not exist.`);
      const now = clock.now();
      for (let from = 0; from < messages.length; from += CHUNK) {
        const chunk = messages
          .slice(from, from + CHUNK)
          .map((message) => ({ group: message.group ?? '', ...serializeMessage(message, now) }));
        await store.write(() => {
          for (const { group, text, wait_ms } of chunk) insert.run(queue, group, text, now, Math.ceil(now + wait_ms));
        }, durability);
        wakes.get(queue)?.();
      }
    },
    recover: () =>
      store.write(() => {
        db.prepare('UPDATE messages SET visible_at = ?, in_flight = 0 WHERE in_flight = 1').run(clock.now());
      }),
    onSend: (queue, wake) => wakes.set(queue, wake),
    nextDue: (queue) => store.read(() => due.get(queue)?.at as number | null | undefined) ?? undefined,
    receive: (queue, most, hideMs) => receive(queue, hideMs, (now) => idsOf(oldest.all(queue, now, most))),
    receiveFairly: (queue, most, hideMs, inFlight) =>
      receive(queue, hideMs, (now) => {
        const waiting = groups.all(queue).flatMap(({ group_id }) => {
          const taken = inFlight.groups.get(group_id as string) ?? 0;
          const left = Math.min(most, inFlight.share - taken);
          const ids = left > 0 ? idsOf(oldestOfGroup.all(queue, group_id as string, now, left)) : [];
          return ids.map((id, i) => ({ id, taken: taken + i }));
        });
        return waiting
          .sort((a, b) => a.taken - b.taken)
          .slice(0, most)
          .map(({ id }) => id);
      }),
    settle: async (queue, done, failed) => {
      const { max_receives } = specs[queue];
      const last = failed.filter(({ receives }) => receives >= max_receives);
      await store.write(() => {
        const now = clock.now();
        for (const { id, receives } of done) remove.run(id, receives);
        for (const { id, receives } of failed) {
          const pause = receives >= max_receives ? 0 : Math.min(MAX_PAUSE_MS, first_pause_ms * 2 ** (receives - 1));
          release.run(now + pause, id, receives);
        }
        if (last.length > 0) bury.all(now, JSON.stringify(last.map(({ id }) => id)), max_receives);
      }, 'soon');
      for (const one of last) logDead(queue, one);
    },
    deadLetters: () =>
      store.read(() =>
        db
          .prepare(
            'SELECT id, queue, body, sent_at, receives, dead_at FROM messages WHERE dead_at IS NOT NULL ORDER BY id',
          )
          .all(),
      ) as unknown as DeadLetter[],
    sweep: (before) =>
      store.write(() => {
        const now = clock.now();
        db.prepare('DELETE FROM messages WHERE dead_at < ?').run(before);
        for (const queue of BETWEEN_ATTEMPTS) releaseDelayed.run(now, queue, now + MAX_DELAY_MS);
      }),
  };
}

const idsOf = (rows: Record<string, unknown>[]): number[] => rows.map(({ id }) => id as number);
