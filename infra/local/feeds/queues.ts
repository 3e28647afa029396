import type { Keep, Store } from '#infra/local/store/store.ts';
import { queues as specs } from '#infra/topology.ts';
import type { QueueName } from '#lib/messages.ts';
import { MAX_DELAY_MS, serializeMessage } from '#lib/platform/batch.ts';
import type { Clock, Log, Message, Queues } from '#lib/platform/ports.ts';

/** A message in hand: `receives` counts this time too, and makes the receipt. */
export type Received = {
  id: number;
  /** The tenant whose work it is; empty where tenants share it. */
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

/** The queues port, and the side that an event source reads. */
export type LocalQueues = Omit<Queues, 'send'> & {
  /** @param keep `soon` for a function that repeats its work (store.ts) */
  send(queue: string, messages: readonly Message[], keep?: Keep): Promise<void>;
  /** Makes everything that is in hand due again: for the one process that consumes, when it starts. */
  recover(): Promise<void>;
  /** Calls `wake` after each commit that put messages onto the queue. */
  onSend(queue: QueueName, wake: () => void): void;
  /** When the next message can be received, epoch ms; undefined when there is none. */
  nextDue(queue: QueueName): number | undefined;
  /** Takes up to `most` messages that are due and hides them for `hide_ms`. */
  receive(queue: QueueName, most: number, hide_ms: number): Promise<Received[]>;
  /** The same in turns among the groups of which less is in hand than their share, those with the least first. */
  receiveFairly(queue: QueueName, most: number, hide_ms: number, inHand: InHand): Promise<Received[]>;
  /** Deletes what is done; what failed comes back after its pause, or is a dead letter after its last receive. */
  settle(queue: QueueName, done: Received[], failed: Received[]): Promise<void>;
  deadLetters(): DeadLetter[];
  /** Forgets dead letters older than `before` (epoch ms), and frees what a clock that was set back holds up. */
  sweep(before: number): Promise<void>;
};

/** How many messages of each group are in hand, and how many one group may hold while others wait. */
type InHand = { groups: ReadonlyMap<string, number>; share: number };

/** Queues whose messages wait only between two tries: one that waits longer was put off by a clock that ran ahead. */
const BETWEEN_TRIES: readonly QueueName[] = ['notify', 'delivery', 'plan'];
/** Messages in one write of a large send, so that nobody waits long for it. */
const CHUNK = 25;
/** A message that failed waits 2 s, then twice as long each time, up to 30 s. (SQS: its visibility time-out.) */
const FIRST_PAUSE_MS = 2000;
const MAX_PAUSE_MS = 30_000;

type QueueOptions = { clock: Pick<Clock, 'now'>; log: Log; first_pause_ms?: number };

/**
 * Queues in the store's file: a send shares the commit of whatever else is written in that moment. That a message was
 * taken or done need not wait for the disk: a power cut may give it once more.
 */
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
  // From one group to the next, however many messages each has.
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
  // The number of receives is the receipt: whoever was too slow no longer holds the message.
  const remove = db.prepare('DELETE FROM messages WHERE id = ? AND receives = ?');
  const release = db.prepare('UPDATE messages SET visible_at = ?, in_flight = 0 WHERE id = ? AND receives = ?');
  const free = db.prepare(
    'UPDATE messages SET visible_at = ?1 WHERE queue = ?2 AND dead_at IS NULL AND in_flight = 0 AND visible_at > ?3',
  );
  const wakes = new Map<string, () => void>();

  const logDead = (queue: string, { id, body, receives }: Pick<Received, 'id' | 'body' | 'receives'>) =>
    log.error('a message failed for good and is a dead letter', { queue, message_id: id, receives, body });

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
    send: async (queue, messages, keep?: Keep) => {
      if (!(queue in specs)) throw new Error(`There is no queue ${queue}.`);
      const now = clock.now();
      for (let from = 0; from < messages.length; from += CHUNK) {
        const chunk = messages
          .slice(from, from + CHUNK)
          .map((message) => ({ group: message.group ?? '', ...serializeMessage(message, now) }));
        await store.write(() => {
          for (const { group, text, wait_ms } of chunk) insert.run(queue, group, text, now, Math.ceil(now + wait_ms));
        }, keep);
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
    receiveFairly: (queue, most, hideMs, inHand) =>
      receive(queue, hideMs, (now) => {
        const waiting = groups.all(queue).flatMap(({ group_id }) => {
          const held = inHand.groups.get(group_id as string) ?? 0;
          const left = Math.min(most, inHand.share - held);
          const ids = left > 0 ? idsOf(oldestOfGroup.all(queue, group_id as string, now, left)) : [];
          return ids.map((id, i) => ({ id, held: held + i }));
        });
        return waiting
          .sort((a, b) => a.held - b.held)
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
        for (const queue of BETWEEN_TRIES) free.run(now, queue, now + MAX_DELAY_MS);
      }),
  };
}

const idsOf = (rows: Record<string, unknown>[]): number[] => rows.map(({ id }) => id as number);
