import { writeSync } from 'node:fs';
import type { DynamoDBStreamEvent } from 'aws-lambda';
import { startChangeStream } from '#infra/local/feeds/change-stream.ts';
import { openTable } from '#infra/local/store/sqlite-table.ts';
import { newImage } from '#lib/aws/stream-record.ts';
import type { Item } from '#lib/platform/ports.ts';
import { memoryLog } from '#test/support/log.ts';

// Four writers of transitions and a reader of their changes; each prints a line per written or processed item.
const table = openTable({ file: process.argv[2]!, onInserted: () => stream.wake() });

async function consume({ Records }: DynamoDBStreamEvent): Promise<void> {
  for (const record of Records) writeSync(1, `done ${newImage<Item & { name: string }>(record as never).name}\n`);
}

const stream = startChangeStream(table.store, { notifier: consume }, memoryLog());

async function writer(name: number): Promise<never> {
  for (let n = 0; ; n++) {
    const item: Item & { name: string } = { pk: `p${name}`, sk: `TR#${n}`, name: `${name}-${n}` };
    await table.transact([{ put: item, if: 'absent' }]);
    writeSync(1, `written ${item.name}\n`);
  }
}

await Promise.all([1, 2, 3, 4].map(writer));
