import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  BatchGetItemCommand,
  BatchWriteItemCommand,
  DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  TransactionCanceledException,
  TransactWriteItemsCommand,
} from '@aws-sdk/client-dynamodb';
import { mockClient } from 'aws-sdk-client-mock';
import { beforeEach, describe, expect, it } from 'vitest';
import { dynamoTable, toAttributes } from '#lib/aws/dynamodb-table.ts';
import { makeIds } from '#lib/platform/ids.ts';
import type { Item } from '#lib/platform/ports.ts';
import { commit } from '#lib/platform/table/retry.ts';

const pauses: number[] = [];
const clock = { now: () => 0, sleep: async (ms: number) => void pauses.push(ms) };
const client = new DynamoDBClient({ region: 'eu-central-1' });
const dynamo = mockClient(client);
const table = dynamoTable({ client, table: 'fleet', clock, ids: makeIds(clock) });
beforeEach(() => {
  dynamo.reset();
  pauses.length = 0;
});

const key = { pk: 'p', sk: 's' };
const item = (v: string): Item => ({ ...key, v });
const other = { put: { pk: 'p', sk: 't' } };
const named = (name: string, more: object = {}) => Object.assign(new Error(name), { name, ...more });
const cancelled = (...codes: string[]) =>
  new TransactionCanceledException({
    message: 'cancelled',
    $metadata: {},
    CancellationReasons: codes.map((Code) => ({
      Code,
      ...(Code === 'ConditionalCheckFailed' && { Item: toAttributes(item('other')) }),
    })),
  });

describe('DynamoDB failures', () => {
  it.each([
    ['throttled', named('ThrottlingException')],
    ['throttled', named('ProvisionedThroughputExceededException')],
    ['failing internally', named('InternalServerError', { $metadata: { httpStatusCode: 500 } })],
    ['not responding', named('TimeoutError')],
    ['unreachable', named('Error', { code: 'ECONNREFUSED' })],
  ])('throws UNAVAILABLE from every method when DynamoDB is %s', async (_, error) => {
    dynamo.onAnyCommand().rejects(error);
    const refused = { name: 'AppError', code: 'UNAVAILABLE', headers: { 'retry-after': '1' }, cause: error };
    await expect(table.get(key)).rejects.toMatchObject(refused);
    await expect(table.getMany([key])).rejects.toMatchObject(refused);
    await expect(table.query({ partition: 'p' })).rejects.toMatchObject(refused);
    await expect(table.putMany([item('1')])).rejects.toMatchObject(refused);
    await expect(table.transact([{ put: item('1') }])).rejects.toMatchObject(refused);
    await expect(table.transact([{ put: item('1') }, other])).rejects.toMatchObject(refused);
  });

  it('throws a configuration error unchanged, because waiting would not help', async () => {
    dynamo.onAnyCommand().rejects(named('ResourceNotFoundException', { $metadata: { httpStatusCode: 400 } }));
    await expect(table.get(key)).rejects.toMatchObject({ name: 'ResourceNotFoundException' });
  });

  it('retries unprocessed items with growing pauses', async () => {
    const put = (sk: string) => ({ PutRequest: { Item: toAttributes({ pk: 'p', sk }) } });
    dynamo
      .on(BatchWriteItemCommand)
      .resolvesOnce({ UnprocessedItems: { fleet: [put('b'), put('c')] } })
      .resolvesOnce({ UnprocessedItems: { fleet: [put('c')] } })
      .resolves({});
    await table.putMany(['a', 'b', 'c'].map((sk) => ({ pk: 'p', sk })));
    const asked = dynamo
      .commandCalls(BatchWriteItemCommand)
      .map((call) => call.args[0].input.RequestItems!.fleet!.map((one) => one.PutRequest!.Item!.sk!.S));
    expect(asked).toEqual([['a', 'b', 'c'], ['b', 'c'], ['c']]);
    expect(pauses[1]).toBeGreaterThan(pauses[0]!);

    dynamo
      .on(BatchGetItemCommand)
      .resolvesOnce({
        Responses: { fleet: [toAttributes(item('1'))] },
        UnprocessedKeys: { fleet: { Keys: [toAttributes({ pk: 'p', sk: 't' })] } },
      })
      .resolves({ Responses: { fleet: [toAttributes({ pk: 'p', sk: 't' })] } });
    expect(await table.getMany([key, { pk: 'p', sk: 't' }])).toEqual([item('1'), { pk: 'p', sk: 't' }]);
  });

  it('throws UNAVAILABLE if items stay unprocessed', async () => {
    const left = { fleet: [{ PutRequest: { Item: toAttributes(key) } }] };
    dynamo.on(BatchWriteItemCommand).resolves({ UnprocessedItems: left });
    await expect(table.putMany([key])).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    expect(dynamo.commandCalls(BatchWriteItemCommand)).toHaveLength(8);
    expect(pauses.reduce((sum, pause) => sum + pause)).toBeLessThan(5000);
  });
});

describe('conflicting writes', () => {
  it('report a conflict, not a failed condition', async () => {
    dynamo.on(TransactWriteItemsCommand).rejects(cancelled('None', 'TransactionConflict'));
    expect(await table.transact([{ put: item('1'), if: 'absent' }, other])).toEqual({
      ok: false,
      failed: [],
      present: [undefined, undefined],
      conflict: true,
    });
    dynamo.on(PutItemCommand).rejects(named('TransactionConflictException', { $metadata: { httpStatusCode: 400 } }));
    expect(await table.transact([{ put: item('1'), if: 'absent' }])).toMatchObject({ ok: false, conflict: true });
  });

  it('return the present item when a condition failed as well', async () => {
    dynamo.on(TransactWriteItemsCommand).rejects(cancelled('ConditionalCheckFailed', 'TransactionConflict'));
    expect(await table.transact([{ put: item('1'), if: 'absent' }, other])).toEqual({
      ok: false,
      failed: [0],
      present: [item('other'), undefined],
      conflict: true,
    });
  });

  it.each(['ThrottlingError', 'ProvisionedThroughputExceeded'])(
    'throw UNAVAILABLE when canceled for %s',
    async (code) => {
      dynamo.on(TransactWriteItemsCommand).rejects(cancelled('None', code));
      await expect(table.transact([{ put: item('1') }, other])).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    },
  );

  it('rethrow the error of an invalid request', async () => {
    dynamo.on(TransactWriteItemsCommand).rejects(cancelled('None', 'ValidationError'));
    await expect(table.transact([{ put: item('1') }, other])).rejects.toBeInstanceOf(TransactionCanceledException);
  });
});

describe('committed write whose response was lost', () => {
  it('is recognized by its new version', async () => {
    // The client retries by itself and finds its first write.
    dynamo.on(TransactWriteItemsCommand).rejects(
      new TransactionCanceledException({
        message: 'cancelled',
        $metadata: {},
        CancellationReasons: [{ Code: 'ConditionalCheckFailed', Item: toAttributes(item('mine')) }, { Code: 'None' }],
      }),
    );
    expect(await commit({ table }, [{ put: item('mine'), if: { version: 'old' } }, other])).toEqual({ ok: true });
  });

  it('is retried with the same token, so that it commits once', async () => {
    const tokens: string[] = [];
    const server = createServer(async (request, response) => {
      let text = '';
      for await (const chunk of request) text += chunk;
      tokens.push(JSON.parse(text).ClientRequestToken);
      // The first attempt commits, and its response is lost.
      if (tokens.length === 1) return request.socket.destroy();
      return response.setHeader('content-type', 'application/x-amz-json-1.0').end('{}');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const real = new DynamoDBClient({
      endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      region: 'eu-central-1',
      credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
    });
    const realTable = dynamoTable({ client: real, table: 'fleet', clock, ids: makeIds(clock) });
    expect(await realTable.transact([{ put: item('1') }, other])).toEqual({ ok: true });
    expect(tokens).toEqual([expect.stringMatching(/\S{8,}/), tokens[0]]);
    real.destroy();
    server.close();
  });
});

describe('price of a request', () => {
  it('writes one item without a transaction, and several in one', async () => {
    dynamo.on(PutItemCommand).resolves({}).on(TransactWriteItemsCommand).resolves({});
    await table.transact([{ put: item('1'), if: 'absent' }]);
    expect(dynamo.commandCalls(TransactWriteItemsCommand)).toHaveLength(0);
    await table.transact([{ put: item('1') }, other]);
    expect(dynamo.commandCalls(PutItemCommand)).toHaveLength(1);
    expect(dynamo.commandCalls(TransactWriteItemsCommand)).toHaveLength(1);
  });

  it('reads with strong consistency, except for queries with `eventual`', async () => {
    dynamo.on(QueryCommand).resolves({}).on(GetItemCommand).resolves({}).on(BatchGetItemCommand).resolves({});
    await table.query({ partition: 'p' });
    await table.query({ partition: 'p', eventual: true });
    await table.get(key);
    await table.getMany([key]);
    expect(dynamo.commandCalls(QueryCommand).map((call) => call.args[0].input.ConsistentRead)).toEqual([true, false]);
    expect(dynamo.commandCalls(GetItemCommand)[0]!.args[0].input.ConsistentRead).toBe(true);
    expect(dynamo.commandCalls(BatchGetItemCommand)[0]!.args[0].input.RequestItems!.fleet!.ConsistentRead).toBe(true);
  });
});
