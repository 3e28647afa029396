import { type EventBridgeClient, PutEventsCommand, type PutEventsRequestEntry } from '@aws-sdk/client-eventbridge';
import { chunks } from '#lib/platform/plain-data.ts';
import type { Bus } from '#lib/platform/ports.ts';
import { inRounds, type Pauses, translate } from './in-rounds.ts';

/** PutEvents: ten entries. An event of ours is a transition, a kilobyte or so. */
const ENTRIES = 10;

type Options = Pauses & { client: EventBridgeClient; bus: string; source: string };

/** The bus port on EventBridge. */
export function eventBus({ client, bus, source, ...pauses }: Options): Bus {
  return {
    publish: async (events) => {
      const entries = events.map(({ detail_type, detail }): PutEventsRequestEntry => {
        return { EventBusName: bus, Source: source, DetailType: detail_type, Detail: JSON.stringify(detail) };
      });
      const put = async (Entries: PutEventsRequestEntry[]) => {
        const { Entries: results = [] } = await client.send(new PutEventsCommand({ Entries }));
        return Entries.filter((_, i) => results[i]?.ErrorCode !== undefined);
      };
      try {
        await Promise.all(chunks(entries, ENTRIES).map((chunk) => inRounds(pauses, chunk, put)));
      } catch (error) {
        throw translate(error);
      }
    },
  };
}
