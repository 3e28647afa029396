import { isFor, streams } from '#infra/topology.ts';
import type { BatchReply } from '#lib/platform/batch.ts';
import { hash32 } from '#lib/platform/ids.ts';
import { failedOf } from './sqs-event-source.ts';
import type { VirtualClock } from './virtual-clock.ts';

export type Stream = (typeof streams)[number];
/** An item in the format of DynamoDB. */
export type NewImage = Record<string, { S?: string }>;
/** A new item in the format of the function. */
export type StreamRecord = { eventName: 'INSERT'; dynamodb: { SequenceNumber: string; NewImage: NewImage } };

export type StreamWorld = {
  clock: Pick<VirtualClock, 'now' | 'at'>;
  shards: number;
  /**
   * Runs the function of a stream; never rejects.
   * @returns its response; undefined if it has none and the whole batch is retried
   */
  run(stream: Stream, records: StreamRecord[]): Promise<BatchReply | undefined>;
  /** Delay until a new item is read (ms). */
  lag(): number;
  /** Returns the delay until a shard is read again (ms). @param advanced whether the first record succeeded */
  pause(advanced: boolean): number;
  /** Maximum number of records per read; default: the size of a batch. */
  most?(stream: Stream): number;
  /** Whether the stream is read now; call `wake` when that changes to true. Default: always. */
  isOpen?(): boolean;
  /** Whether the batch that was just processed is read once more. */
  replays?(): boolean;
};

/**
 * Simulates the table's change stream and the event sources of its readers in virtual time. Each reader reads each
 * shard in order, one batch after the other; failed records are read again with all that follow.
 */
export function streamEventSource({ clock, run, lag, pause, ...world }: StreamWorld) {
  const { most = ({ batch }) => batch, isOpen = () => true, replays = () => false } = world;
  const readers = streams.flatMap((stream) =>
    Array.from({ length: world.shards }, (_, shard) => ({
      stream,
      shard,
      records: [] as StreamRecord[],
      isReading: false,
    })),
  );
  let sequence = 0;

  async function readOn(reader: (typeof readers)[number]): Promise<void> {
    const { stream, records } = reader;
    if (!isOpen() || reader.isReading || records.length === 0) return;
    reader.isReading = true;
    const batch = records.slice(0, most(stream));
    const names = batch.map(({ dynamodb }) => dynamodb.SequenceNumber);
    const failed = failedOf(names, await run(stream, [...batch]));
    const first = names.findIndex((name) => failed.has(name));
    const done = first < 0 ? batch.length : first;
    if (done > 0 && !replays()) records.splice(0, done);
    // Records that arrive during the pause wait for its end.
    if (records.length > 0) await new Promise<void>((end) => clock.at(clock.now() + pause(done > 0), end));
    reader.isReading = false;
    void readOn(reader);
  }

  return {
    /** Called by the table for a new item. */
    inserted: (NewImage: NewImage): void => {
      const SequenceNumber = String(++sequence);
      const shard = hash32(NewImage.pk!.S!) % world.shards;
      for (const reader of readers) {
        if (reader.shard !== shard || !isFor(reader.stream, NewImage.sk!.S!)) continue;
        reader.records.push({ eventName: 'INSERT', dynamodb: { SequenceNumber, NewImage } });
        clock.at(clock.now() + lag(), () => void readOn(reader));
      }
    },
    /** Call this when the stream is read again. */
    wake: (): void => {
      for (const reader of readers) void readOn(reader);
    },
  };
}
