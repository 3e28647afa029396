import { createHash } from 'node:crypto';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { SQSClient } from '@aws-sdk/client-sqs';
import { CLIENT_SETTINGS } from '#lib/aws/client-settings.ts';
import type { Lineage } from '#test/support/lineage.ts';
import { ASSUMPTIONS as a } from './assumptions.ts';
import type { CpuClock, CpuMeter } from './cpu-clock.ts';
import type { Answer } from './dynamo-writes.ts';
import type { Meter } from './meter.ts';

/** Message in a queue, with its chain of invocations. */
export type Sent = { body: string; delay_ms: number; lineage: Lineage };

/** AWS services called through the SDK. */
export type Services = {
  table(operation: string, input: object): Answer;
  send(queue: string, messages: Sent[]): void;
};

/** Caller: `path` is the label of its units, `lineage` the chain of invocations that led to its own. */
export type Caller = CpuMeter & { path: string; lineage: Lineage };

type Request = { headers: Record<string, string>; body: Uint8Array };
type Reply = { status: number; body: object };

/** Returns the number of billed requests of a payload by its size in bytes. */
export const requestsOf = (bytes: number): number => Math.max(1, Math.ceil(bytes / a.chunk_bytes));

/**
 * Creates the SDK clients of a function without a network: requests are counted by path and answered in virtual time.
 */
export function makeClients(
  services: Services,
  meter: Meter,
  clock: Pick<CpuClock, 'uncharged' | 'sleep'>,
  caller: Caller,
) {
  function table(operation: string, input: object): Reply {
    const { status, body, capacity } = services.table(operation, input);
    meter.add(caller.path, 'read_units', capacity.reads);
    meter.add(caller.path, 'write_units', capacity.writes);
    return { status, body };
  }

  function queue(operation: string, input: object): Reply {
    if (operation !== 'SendMessageBatch') throw new Error(`The SQS operation ${operation} is not supported.`);
    const { QueueUrl, Entries } = input as { QueueUrl: string; Entries: Entry[] };
    const bytes = Entries.reduce((sum, { MessageBody }) => sum + Buffer.byteLength(MessageBody), 0);
    meter.add(caller.path, 'queue_requests', requestsOf(bytes));
    services.send(
      QueueUrl.slice(QueueUrl.lastIndexOf('/') + 1),
      Entries.map(({ MessageBody, DelaySeconds = 0 }) => ({
        body: MessageBody,
        delay_ms: DelaySeconds * 1000,
        lineage: caller.lineage,
      })),
    );
    const Successful = Entries.map(({ Id, MessageBody }) => ({
      Id,
      MessageId: Id,
      MD5OfMessageBody: md5(MessageBody),
    }));
    return { status: 200, body: { Successful, Failed: [] } };
  }

  function bus(_operation: string, input: object): Reply {
    const { Entries } = input as { Entries: { Detail: string }[] };
    for (const { Detail } of Entries) meter.add(caller.path, 'bus_events', requestsOf(Buffer.byteLength(Detail)));
    return { status: 200, body: { FailedEntryCount: 0, Entries: Entries.map((_, i) => ({ EventId: String(i) })) } };
  }

  /** Returns a replacement for the HTTP client of the SDK, which gets a built and signed request. */
  const wire = (answer: (operation: string, input: object) => Reply, ms: number) => ({
    handle: async ({ headers, body }: Request) => {
      const { status, text } = clock.uncharged(() => {
        const operation = headers['x-amz-target']!.split('.').at(-1)!;
        meter.countCommand(caller.path, operation);
        const reply = answer(operation, JSON.parse(decoder.decode(body)) as object);
        return { status: reply.status, text: Buffer.from(JSON.stringify(reply.body)) };
      });
      caller.cpu_ms += a.request_cpu_ms;
      await clock.sleep(ms, caller);
      return {
        response: { statusCode: status, headers: { 'content-type': 'application/x-amz-json-1.0' }, body: text },
      };
    },
    updateHttpClientConfig: () => {},
    httpHandlerConfigs: () => ({}),
  });
  const settings = (answer: (operation: string, input: object) => Reply, ms: number) => ({
    ...CLIENT_SETTINGS,
    region: 'us-east-1',
    endpoint: 'https://aws.test',
    credentials: { accessKeyId: 'none', secretAccessKey: 'none' },
    requestHandler: wire(answer, ms),
  });
  return {
    dynamo: new DynamoDBClient(settings(table, a.table_ms)),
    sqs: new SQSClient(settings(queue, a.queue_ms)),
    events: new EventBridgeClient(settings(bus, a.bus_ms)),
  };
}

const decoder = new TextDecoder();

type Entry = { Id: string; MessageBody: string; DelaySeconds?: number };

const md5 = (text: string): string => createHash('md5').update(text).digest('hex');
