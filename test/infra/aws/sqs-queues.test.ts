import { SendMessageBatchCommand, SQSClient } from '@aws-sdk/client-sqs';
import { mockClient } from 'aws-sdk-client-mock';
import { beforeEach, describe, expect, it } from 'vitest';
import { sqsQueues } from '#lib/aws/sqs-queues.ts';
import { makeIds } from '#lib/platform/ids.ts';

const NOW = 1_800_000_000_000;
const clock = { now: () => NOW, sleep: async () => {} };
const client = new SQSClient({ region: 'eu-central-1' });
const sqs = mockClient(client);
const urls = { job: 'https://sqs.example/job' };
const queues = sqsQueues({ client, urls, clock, ids: makeIds(clock) });
beforeEach(() => {
  sqs.reset();
  sqs.on(SendMessageBatchCommand).resolves({ Successful: [], Failed: [] });
});
const sent = () => sqs.commandCalls(SendMessageBatchCommand).map((call) => call.args[0].input.Entries!);

describe('SQS queues', () => {
  it('rounds a delay up, so that no message is early', async () => {
    const at = [NOW - 5, NOW, NOW + 1, NOW + 1000, NOW + 1001, NOW + 900_000];
    await queues.send(
      'job',
      at.map((not_before) => ({ body: 1, not_before })),
    );
    expect(sent()[0]!.map((entry) => entry.DelaySeconds ?? 0)).toEqual([0, 0, 1, 1, 2, 900]);
    await expect(queues.send('job', [{ body: 1, not_before: NOW + 900_001 }])).rejects.toThrow('15 minutes');
  });

  it('sets the tenant as message group, so that SQS serves tenants fairly', async () => {
    await queues.send('job', [{ body: 1, group: 'acc_a' }, { body: 2 }]);
    expect(sent()[0]!.map((entry) => entry.MessageGroupId)).toEqual(['acc_a', undefined]);
  });

  it('sends up to ten messages and one mebibyte per request', async () => {
    await queues.send(
      'job',
      Array.from({ length: 23 }, (_, n) => ({ body: n })),
    );
    expect(sent().map((entries) => entries.length)).toEqual([10, 10, 3]);
    sqs.resetHistory();
    await queues.send(
      'job',
      Array.from({ length: 9 }, () => ({ body: 'x'.repeat(250 * 1024) })),
    );
    expect(sent().map((entries) => entries.length)).toEqual([4, 4, 1]);
    sqs.resetHistory();
    await queues.send('job', []);
    expect(sent()).toEqual([]);
  });

  it('retries only rejected messages', async () => {
    const busy = { Code: 'InternalError', SenderFault: false };
    sqs
      .on(SendMessageBatchCommand)
      .resolvesOnce({ Successful: [], Failed: [{ Id: '1', ...busy }] })
      .resolves({ Successful: [], Failed: [] });
    await queues.send('job', [{ body: 'a' }, { body: 'b' }, { body: 'c' }]);
    expect(sent().map((entries) => entries.map((entry) => entry.MessageBody))).toEqual([
      ['"a"', '"b"', '"c"'],
      ['"b"'],
    ]);
  });

  it('throws UNAVAILABLE if the queue keeps failing, and another error for a message that SQS rejects', async () => {
    const failed = (SenderFault: boolean) => ({ Failed: [{ Id: '0', Code: 'Odd', SenderFault }], Successful: [] });
    sqs.on(SendMessageBatchCommand).resolves(failed(false));
    await expect(queues.send('job', [{ body: 1 }])).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    sqs.on(SendMessageBatchCommand).resolves(failed(true));
    await expect(queues.send('job', [{ body: 1 }])).rejects.toThrow('SQS refused a message to job: Odd');
    sqs.on(SendMessageBatchCommand).rejects(Object.assign(new Error('x'), { name: 'RequestThrottled' }));
    await expect(queues.send('job', [{ body: 1 }])).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  });

  it.each([
    ['a queue that this function may not send to', 'deadline', 1],
    ['a body that is not JSON', 'job', undefined],
    ['a body over 256 KB', 'job', 'x'.repeat(257 * 1024)],
  ])('rejects %s', async (_, queue, body) => {
    await expect(queues.send(queue, [{ body }])).rejects.toThrow(Error);
    expect(sent()).toEqual([]);
  });
});
