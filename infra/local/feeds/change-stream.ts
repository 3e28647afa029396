import { marshall } from '@aws-sdk/util-dynamodb';
import type { DynamoDBBatchResponse, DynamoDBRecord, DynamoDBStreamEvent, StreamRecord } from 'aws-lambda';
import { type Handler, invoke } from '#infra/local/invoke.ts';
import type { Store } from '#infra/local/store/store.ts';
import { type FunctionName, isFor, streams } from '#infra/topology.ts';
import type { Log } from '#lib/platform/ports.ts';
import { combineFeeds, type Feed } from './feeds.ts';

type StoredChange = { seq: number; sk: string; at: number; image: string };
type Spec = (typeof streams)[number];

const FIRST_PAUSE_MS = 100;
const MAX_PAUSE_MS = 30_000;

/** Passes table changes to functions in commit order, at least once: a checkpoint moves only after the work. */
export function startChangeStream(store: Store, handlers: Partial<Record<FunctionName, Handler>>, log: Log): Feed {
  const { db } = store;
  for (const { name } of streams)
    db.prepare('INSERT OR IGNORE INTO checkpoints (consumer, seq) VALUES (?, 0)').run(name);
  // A removed consumer must not retain the changes.
  db.prepare('DELETE FROM checkpoints WHERE consumer NOT IN (SELECT value FROM json_each(?))').run(
    JSON.stringify(streams.map((stream) => stream.name)),
  );
  const readers = streams.flatMap((spec) => {
    const handler = handlers[spec.function];
    return handler ? [startReader(store, spec, handler, log)] : [];
  });
  return combineFeeds(readers);
}

function startReader(store: Store, spec: Spec, handler: Handler, log: Log): Feed {
  const { db } = store;
  const select = db.prepare('SELECT seq, sk, at, image FROM changes WHERE seq > ? ORDER BY seq LIMIT ?');
  const move = db.prepare('UPDATE checkpoints SET seq = ? WHERE consumer = ?');
  const trim = db.prepare('DELETE FROM changes WHERE seq <= (SELECT min(seq) FROM checkpoints)');
  let checkpoint = Number(db.prepare('SELECT seq FROM checkpoints WHERE consumer = ?').get(spec.name)?.seq ?? 0);
  let failures = 0;
  let reading = Promise.resolve();
  let isReading = false;
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;

  function wake(): void {
    // During a pause after a failure, new changes wait for the failed ones.
    if (stopped || isReading || timer) return;
    isReading = true;
    reading = readAll();
  }

  async function readAll(): Promise<void> {
    try {
      while (!stopped && (await next()));
    } catch (error) {
      failures++;
      log.error('change stream batch failed, will be retried', { consumer: spec.name, failures, error });
    } finally {
      isReading = false;
    }
    if (failures > 0 && !stopped) {
      timer = setTimeout(
        () => {
          timer = undefined;
          wake();
        },
        Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (failures - 1)),
      );
    }
  }

  async function next(): Promise<boolean> {
    const changes = store.read(() => select.all(checkpoint, spec.batch)) as unknown as StoredChange[];
    const last = changes.at(-1);
    if (!last) return false;
    const records = changes.filter((change) => isFor(spec, change.sk)).map(recordOf);
    const failed = records.length > 0 ? await firstFailure(records) : undefined;
    await moveTo(failed === undefined ? last.seq : failed - 1);
    if (failed !== undefined) throw new Error(`Record ${failed} failed in ${spec.function}.`);
    failures = 0;
    return true;
  }

  /**
   * Returns the sequence number of the first failed record; undefined if none failed. If the function names an unknown
   * record, all count as failed.
   */
  async function firstFailure(records: DynamoDBRecord[]): Promise<number | undefined> {
    const reply = await invoke<DynamoDBStreamEvent, DynamoDBBatchResponse | undefined>(spec.function, handler, {
      Records: records,
    });
    const named = (reply?.batchItemFailures ?? []).map((failure) => failure.itemIdentifier);
    if (named.length === 0) return undefined;
    const sent = records.map((record) => record.dynamodb?.SequenceNumber);
    const known = named.every((name) => sent.includes(name));
    return known ? Math.min(...named.map(Number)) : Number(sent[0]);
  }

  async function moveTo(seq: number): Promise<void> {
    if (seq > checkpoint) failures = 0;
    await store.write(() => {
      move.run(seq, spec.name);
      trim.run();
    }, 'soon');
    checkpoint = seq;
  }

  wake();
  return {
    wake,
    stop: async () => {
      stopped = true;
      clearTimeout(timer);
      await reading;
    },
  };
}

function recordOf({ seq, at, image }: StoredChange): DynamoDBRecord {
  const NewImage = marshall(JSON.parse(image)) as NonNullable<StreamRecord['NewImage']>;
  return {
    eventID: `change-${seq}`,
    eventName: 'INSERT',
    eventVersion: '1.1',
    eventSource: 'aws:dynamodb',
    awsRegion: 'local',
    eventSourceARN: 'arn:aws:dynamodb:local:000000000000:table/fleetwatch/stream/local',
    dynamodb: {
      ApproximateCreationDateTime: Math.floor(at / 1000),
      Keys: { pk: NewImage.pk!, sk: NewImage.sk! },
      NewImage,
      SequenceNumber: String(seq).padStart(21, '0'),
      SizeBytes: image.length,
      StreamViewType: 'NEW_IMAGE',
    },
  };
}
