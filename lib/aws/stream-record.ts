import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { Item } from '#lib/platform/ports.ts';

/** The part of a stream record of the table that the service reads (stream view: new image). */
export type StreamRecord = { dynamodb?: { SequenceNumber?: string; NewImage?: Record<string, object> } };

/** Returns the id by which a batch response names a failed record. */
export const sequenceOf = (record: StreamRecord): string => record.dynamodb?.SequenceNumber ?? '';

/** Returns the written item. Throws if the record has no new image, because the stream is misconfigured. */
export function newImage<T extends Item>(record: StreamRecord): T {
  const image = record.dynamodb?.NewImage;
  if (!image) throw new Error('a stream record has no NewImage; the stream must carry new images');
  return unmarshall(image as Parameters<typeof unmarshall>[0]) as T;
}
