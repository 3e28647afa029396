import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { queues as specs } from '#infra/topology.ts';
import type { Message, Queues } from '#lib/platform/ports.ts';

export type Consume = (event: SQSEvent) => Promise<SQSBatchResponse>;
/** A service whose queue `delivery` is consumed by `consume`. */
export type QueueWorld = { queues: Queues; stop(): Promise<void> };

const NOTHING_FAILED: SQSBatchResponse = { batchItemFailures: [] };
const WAIT = { timeout: 10_000, interval: 5 };

/** Tests every adapter of the queue port, with the event source of the consumer. */
export function queueContract(name: string, start: (consume: Consume) => Promise<QueueWorld>): void {
  describe(`the queue port on ${name}`, () => {
    let world: QueueWorld;
    afterEach(() => world.stop());

    const send = (...bodies: unknown[]) =>
      world.queues.send(
        'delivery',
        bodies.map((body): Message => ({ body })),
      );

    it('delivers each body once, as JSON text', async () => {
      const seen: unknown[] = [];
      world = await start(async ({ Records }) => {
        seen.push(...Records.map((record) => JSON.parse(record.body)));
        return NOTHING_FAILED;
      });
      await send({ n: 1, text: 'Grüße 🌍' }, { n: 2 }, [3], 'four');
      await vi.waitFor(() => expect(seen).toHaveLength(4), WAIT);
      expect(seen).toEqual(expect.arrayContaining([{ n: 1, text: 'Grüße 🌍' }, { n: 2 }, [3], 'four']));
    });

    it('passes at most a batch to each call, and limits concurrent batches', async () => {
      const { batch, concurrency } = specs.delivery;
      let inHand = 0;
      let mostInHand = 0;
      let seen = 0;
      world = await start(async ({ Records }) => {
        expect(Records.length).toBeLessThanOrEqual(batch);
        inHand += Records.length;
        mostInHand = Math.max(mostInHand, inHand);
        await new Promise((resolve) => setImmediate(resolve));
        inHand -= Records.length;
        seen += Records.length;
        return NOTHING_FAILED;
      });
      await send(...Array.from({ length: batch * concurrency * 2 }, (_, n) => ({ n })));
      await vi.waitFor(() => expect(seen).toBe(batch * concurrency * 2), WAIT);
      expect(mostInHand).toBeLessThanOrEqual(batch * concurrency);
    });

    it('uses the format of SQS', async () => {
      const seen: SQSEvent[] = [];
      const before = Date.now();
      world = await start(async (event) => {
        seen.push(event);
        return NOTHING_FAILED;
      });
      await send({ a: 1 });
      await vi.waitFor(() => expect(seen).toHaveLength(1), WAIT);
      const record = seen[0]!.Records[0]!;
      expect(record).toMatchObject({
        messageId: expect.any(String),
        receiptHandle: expect.any(String),
        body: '{"a":1}',
        eventSource: 'aws:sqs',
        eventSourceARN: expect.stringMatching(/delivery$/),
        awsRegion: expect.any(String),
        attributes: { ApproximateReceiveCount: '1' },
      });
      expect(Number(record.attributes.SentTimestamp)).toBeGreaterThanOrEqual(before - 1000);
    });

    it('delays a message until its time', async () => {
      const seen: { name: string; at: number }[] = [];
      world = await start(async ({ Records }) => {
        for (const record of Records) seen.push({ name: JSON.parse(record.body), at: Date.now() });
        return NOTHING_FAILED;
      });
      const not_before = Date.now() + 200;
      await world.queues.send('delivery', [
        { body: 'late', not_before },
        { body: 'now' },
        { body: 'past', not_before: 1 },
      ]);
      await vi.waitFor(() => expect(seen).toHaveLength(3), WAIT);
      expect(
        seen
          .slice(0, 2)
          .map((one) => one.name)
          .toSorted(),
      ).toEqual(['now', 'past']);
      expect(seen[2]!.name).toBe('late');
      expect(seen[2]!.at).toBeGreaterThanOrEqual(not_before);
    });

    it('retries only failed messages, and counts receives', async () => {
      const seen: string[] = [];
      world = await start(async ({ Records }) => {
        seen.push(
          ...Records.map((record) => `${JSON.parse(record.body)}/${record.attributes.ApproximateReceiveCount}`),
        );
        const bad = Records.filter(
          (record) => record.body === '"bad"' && Number(record.attributes.ApproximateReceiveCount) < 3,
        );
        return { batchItemFailures: bad.map((record) => ({ itemIdentifier: record.messageId })) };
      });
      await send('good', 'bad', 'fine');
      await vi.waitFor(() => expect(seen).toHaveLength(5), WAIT);
      expect(seen.toSorted()).toEqual(['bad/1', 'bad/2', 'bad/3', 'fine/1', 'good/1']);
    });

    it('retries a whole batch when the function fails', async () => {
      const seen: string[] = [];
      world = await start(async ({ Records }) => {
        seen.push(
          ...Records.map((record) => `${JSON.parse(record.body)}/${record.attributes.ApproximateReceiveCount}`),
        );
        if (Records[0]!.attributes.ApproximateReceiveCount === '1') throw new Error('out of order');
        return NOTHING_FAILED;
      });
      await send('a', 'b');
      await vi.waitFor(() => expect(seen).toHaveLength(4), WAIT);
      expect(seen.toSorted()).toEqual(['a/1', 'a/2', 'b/1', 'b/2']);
    });

    it('accepts any number of messages in one send, including none', async () => {
      const seen = new Set<number>();
      world = await start(async ({ Records }) => {
        for (const record of Records) seen.add(JSON.parse(record.body));
        return NOTHING_FAILED;
      });
      await send();
      await send(...Array.from({ length: 600 }, (_, n) => n));
      await vi.waitFor(() => expect(seen.size).toBe(600), WAIT);
    });

    it.each([
      ['a message due more than 15 minutes ahead', 'delivery', { body: 1, not_before: Date.now() + 16 * 60_000 }],
      ['a body that is not JSON', 'delivery', { body: undefined }],
      ['a body over 256 KB', 'delivery', { body: 'x'.repeat(257 * 1024) }],
      ['an unknown queue', 'nowhere', { body: 1 }],
    ])('rejects %s', async (_, queue, message) => {
      world = await start(async () => NOTHING_FAILED);
      await expect(world.queues.send(queue, [message])).rejects.toThrow(Error);
    });
  });
}
