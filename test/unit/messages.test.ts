import { expect, it } from 'vitest';
import type { Env } from '#lib/env.ts';
import { messages } from '#lib/messages.ts';
import { memoryWorld } from '#test/support/memory-world.ts';

it('rejects messages of other queues at compile time and at run time', async () => {
  const { ports, sent }: Pick<Env, 'ports'> & Pick<ReturnType<typeof memoryWorld>, 'sent'> = memoryWorld();
  await ports.queues.send('delivery', [{ body: { tenant_id: 'acc_a', delivery_id: 'dlv_1' } }]);
  // @ts-expect-error a property of another type
  await ports.queues.send('delivery', [{ body: { tenant_id: 'acc_a', delivery_id: 1 } }]);
  // @ts-expect-error the message of another queue
  await ports.queues.send('delivery', [{ body: { jobs: [] } }]);
  // @ts-expect-error an unknown queue
  await ports.queues.send('deliver', [{ body: { tenant_id: 'acc_a', delivery_id: 'dlv_1' } }]);
  const isRead = sent.slice(0, 3).map(({ message }) => messages.delivery.safeParse(message.body).success);
  expect(isRead).toEqual([true, false, false]);
});
