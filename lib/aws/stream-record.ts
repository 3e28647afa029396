import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { Item } from '#lib/platform/ports.ts';

/** The part of a record of the table's stream that the service reads (stream view: new image). */
export type StreamRecord = { dynamodb?: { SequenceNumber?: string; NewImage?: Record<string, object> } };

/** What the stream calls a record when it is to be given again. */
export const sequenceOf = (record: StreamRecord): string => record.dynamodb?.SequenceNumber ?? '';

/** The item that was written. Throws when the record carries none: then the stream is set up wrongly. */
export function newImage<T extends Item>(record: StreamRecord): T {
  const image = record.dynamodb?.NewImage;
  if (!image) throw new Error('a stream record has no NewImage; the stream must carry new images');
  return unmarshall(image as Parameters<typeof unmarshall>[0]) as T;
}
