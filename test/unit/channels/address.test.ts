import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { create } from '#functions/deliverer.ts';
import { create as createNotifier } from '#functions/notifier.ts';
import { addChannel } from '#lib/alerting/configure/check-channels.ts';
import { testChannel } from '#lib/alerting/configure/preview.ts';
import { type ChannelType, defineChannel } from '#lib/channels/channel-type.ts';
import { channelTypes } from '#lib/channels/registry.ts';
import { NetError } from '#lib/net/net.ts';
import { type AlertWorld, alertWorld, queueEvent, START, streamEvent } from '#test/support/alert-world.ts';

/** Types whose address is in a setting other than `url`, or is the same for all channels. */
const types: ChannelType[] = [
  defineChannel({
    type: 'named',
    title: 'Named otherwise',
    about: 'Posts to the address that the setting hook holds.',
    via: 'http',
    read_by: 'people',
    config: z.strictObject({ hook: z.string() }),
    secrets: ['hook'],
    render: (_alert, { hook }) => ({ via: 'http', url: hook, headers: {}, body: '{}' }),
    examples: { valid: [{ hook: 'https://chat.test/a' }], invalid: [] },
  }),
  defineChannel({
    type: 'fixed',
    title: 'Fixed',
    about: 'Posts to the one address of a pager, with the key of an integration and a severity in the body.',
    via: 'http',
    read_by: 'people',
    config: z.strictObject({ integration_key: z.string(), severity: z.string() }),
    secrets: ['integration_key'],
    render: (_alert, config) => ({
      via: 'http',
      url: 'https://169.254.169.254/v2/enqueue',
      headers: {},
      body: JSON.stringify(config),
    }),
    examples: { valid: [{ integration_key: 'a1b2c3d4', severity: 'critical' }], invalid: [] },
  }),
];
const registry = channelTypes as ChannelType[];
beforeAll(() => void registry.push(...types));
afterAll(() => void registry.splice(-types.length));

let world: AlertWorld;
let requests: number;
beforeEach(async () => {
  world = await alertWorld();
  requests = 0;
});

/** Sets the further responses of the receiver. */
const answers = (respond: () => { status: number; headers: Record<string, string> }) => {
  world.ports.net.http = async () => {
    requests++;
    return { ...respond(), body: '', latency_ms: 1 };
  };
};
const slowDown = () => ({ status: 429, headers: { 'retry-after': '7' } });

describe.each(types.map((type) => [type.type, type] as const))('the channel type %s', (_name, type) => {
  const channel = {
    id: 'chn_1',
    channel_type: type.type,
    config: type.examples.valid[0],
    created_at: '2026-11-21T00:00:00.000Z',
  };

  /** Fans out alerts to the channel. Returns the ids of their deliveries. */
  async function plan(count: number): Promise<string[]> {
    await world.putPolicy([channel]);
    const ids: string[] = [];
    for (let n = 1; n <= count; n++) {
      const transition = await world.put(world.transition([channel.id], { transition_id: `trn_${n}`, seq: n }));
      const alert = await world.put(world.alertOf(transition, [channel.id], { channel_type: channel.channel_type }));
      await createNotifier(world.ports)(streamEvent(alert));
      ids.push(...transition.alert.deliveries);
    }
    return ids;
  }

  const deliver = async () => {
    for (const { body } of world.takeDue('delivery')) await create(world.ports)(queueEvent([body]));
  };

  it('counts no attempt when its receiver responds 429, and waits as requested', async () => {
    const [id] = await plan(1);
    answers(slowDown);
    await deliver();
    expect(await world.delivery(id!)).toMatchObject({ status: 'retrying', attempts: 0 });
    expect(world.sent[0]?.not_before).toBeGreaterThanOrEqual(START + 7000);
  });

  it('pauses all other alerts to a receiver that requested a pause', async () => {
    const [, second] = await plan(2);
    answers(slowDown);
    await deliver();
    expect(requests).toBe(1);
    expect(await world.delivery(second!)).toMatchObject({ attempts: 0, error: expect.stringContaining('429') });
  });

  it('sends one alert at a time to a receiver that timed out three times in a row', async () => {
    await plan(5);
    answers(() => {
      world.pass(1);
      throw new NetError('timeout', 'no answer within 10 s');
    });
    for (let round = 0; round < 3; round++) {
      await deliver();
      world.pass(2000);
    }
    const before = requests;
    expect(before).toBeLessThan(5);
    await deliver();
    expect(requests).toBe(before);
  });

  it('reports its next send time when a test alert fails', async () => {
    await world.putPolicy([channel]);
    answers(slowDown);
    const first = await testChannel(world.context, world.check, channel);
    expect(first).toMatchObject({ status: 'failed', error: expect.stringContaining('try again in 8 s') });
    expect(await testChannel(world.context, world.check, channel)).toMatchObject({
      status: 'failed',
      error: expect.stringMatching(/^not sent: .*429/),
    });
    expect(requests).toBe(1);
  });
});

describe('the creation of a channel with a forbidden address', () => {
  const add = (channel_type: string, config: Record<string, string>) =>
    addChannel(world.context, world.check, { channel_type, config });

  it('fails with the path of the setting that contains it', async () => {
    await expect(add('named', { hook: 'http://169.254.169.254/latest' })).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      details: [{ path: 'config.hook' }],
    });
    expect((await add('named', { hook: 'https://chat.example.com/a' })).config.hook).toBe('https://chat.example.com/a');
  });

  it('fails with the path config when no setting contains it', async () => {
    await expect(add('fixed', types[1]!.examples.valid[0])).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      details: [{ path: 'config' }],
    });
  });
});
