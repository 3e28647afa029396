import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { mockClient } from 'aws-sdk-client-mock';
import { beforeEach, describe, expect, it } from 'vitest';
import { eventBus } from '#lib/aws/event-bus.ts';
import { makeIds } from '#lib/platform/ids.ts';

const clock = { now: () => 0, sleep: async () => {} };
const client = new EventBridgeClient({ region: 'eu-central-1' });
const bridge = mockClient(client);
const bus = eventBus({ client, bus: 'fleet', source: 'fleetwatch', clock, ids: makeIds(clock) });
beforeEach(() => bridge.reset());
const put = () => bridge.commandCalls(PutEventsCommand).map((call) => call.args[0].input.Entries!);
const accepted = (count: number) => ({ Entries: Array.from({ length: count }, () => ({ EventId: 'e' })) });

describe('eventBus', () => {
  it('sends up to ten events per request, each with bus, source and type', async () => {
    bridge.on(PutEventsCommand).resolves(accepted(10));
    await bus.publish(Array.from({ length: 12 }, (_, n) => ({ detail_type: 'state_change', detail: { n } })));
    expect(put().map((entries) => entries.length)).toEqual([10, 2]);
    expect(put()[0]![0]).toEqual({
      EventBusName: 'fleet',
      Source: 'fleetwatch',
      DetailType: 'state_change',
      Detail: '{"n":0}',
    });
  });

  it('retries rejected events and finally throws UNAVAILABLE', async () => {
    const refused = { ErrorCode: 'InternalFailure', ErrorMessage: 'busy' };
    bridge
      .on(PutEventsCommand)
      .resolvesOnce({ Entries: [{ EventId: 'e' }, refused] })
      .resolvesOnce(accepted(1));
    await bus.publish([1, 2].map((n) => ({ detail_type: 'state_change', detail: n })));
    expect(put().map((entries) => entries.map((entry) => entry.Detail))).toEqual([['1', '2'], ['2']]);
    bridge.on(PutEventsCommand).resolves({ Entries: [refused] });
    await expect(bus.publish([{ detail_type: 'x', detail: 1 }])).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  });
});
