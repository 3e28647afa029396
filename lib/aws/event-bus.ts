import { type EventBridgeClient, PutEventsCommand, type PutEventsRequestEntry } from '@aws-sdk/client-eventbridge';
import { chunks } from '#lib/platform/plain-data.ts';
import type { Bus } from '#lib/platform/ports.ts';
import { inRounds, type RetryPorts, translate } from './in-rounds.ts';

/** Maximum entries of PutEvents. An event is a transition of about 1 KB. */
const ENTRIES = 10;

type Options = RetryPorts & { client: EventBridgeClient; bus: string; source: string };

export function eventBus({ client, bus, source, ...retryPorts }: Options): Bus {
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
        await Promise.all(chunks(entries, ENTRIES).map((chunk) => inRounds(retryPorts, chunk, put)));
      } catch (error) {
        throw translate(error);
      }
    },
  };
}
