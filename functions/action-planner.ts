import { planOrPark, planParked } from '#lib/actions/run/plan.ts';
import { envOf } from '#lib/env.ts';
import type { TransitionItem } from '#lib/health/state/transition-item.ts';
import { LAST_RECEIVE, messages } from '#lib/messages.ts';
import { newImage, type StreamRecord, sequenceOf } from '#lib/platform/aws/stream-record.ts';
import {
  type BatchReply,
  chanceOf,
  eachMessage,
  eachRecord,
  isFromQueue,
  type QueueRecord,
} from '#lib/platform/batch.ts';
import type { Ports } from '#lib/platform/ports.ts';

/** New transitions, from the table's stream or parked on the queue `plan`: finds the actions that they fire. */
export const create = (ports: Ports) => {
  const env = envOf(ports);
  return ({ Records }: { Records: StreamRecord[] | QueueRecord[] }): Promise<BatchReply> =>
    isFromQueue(Records)
      ? eachMessage(ports.log, Records, (body, record) =>
          planParked(env, messages.plan.parse(body), chanceOf(record, ports.clock, LAST_RECEIVE)),
        )
      : eachRecord(ports.log, Records, sequenceOf, (record) => planOrPark(env, newImage<TransitionItem>(record)));
};
