import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { create } from '#functions/deliverer.ts';
import { create as createNotifier } from '#functions/notifier.ts';
import { testChannel } from '#lib/alerting/configure/preview.ts';
import { channelTypeOf } from '#lib/channels/registry.ts';
import { type AlertWorld, alertWorld, queueEvent, START, streamEvent } from '#test/support/alert-world.ts';
import { startVendors } from '#test/support/vendors/server.ts';
import type { VendorResponse } from '#test/support/vendors/vendor.ts';
import { configOf, events, genieAlerts, incidents, types, vendorOf } from './all-vendors.ts';
import { examples } from './example-alerts.ts';

describe('deliveries to vendors over HTTP', () => {
  let vendors: Awaited<ReturnType<typeof startVendors>>;
  let world: AlertWorld;
  beforeAll(async () => {
    vendors = await startVendors(Object.fromEntries(Object.values(vendorOf)));
  });
  afterAll(() => vendors.close());
  beforeEach(async () => {
    world = await alertWorld();
    world.ports.net = vendors.around(world.ports.net);
    vendors.asked.length = 0;
  });

  const channelOf = (type: string, more: Record<string, string> = {}) => ({
    id: 'chn_1',
    channel_type: type,
    config: { ...configOf(type), ...more },
    created_at: '2026-11-21T00:00:00.000Z',
  });

  /** Alerts a channel of this type about a transition. Returns the delivery after its first attempt. */
  async function alertChannel(type: string, more: Record<string, string> = {}, to: 'down' | 'up' = 'down') {
    const from = to === 'down' ? 'up' : 'down';
    await world.putPolicy([channelOf(type, more)]);
    const states = { check_from_state: from, check_to_state: to, from_state: from, to_state: to } as const;
    const changes = { ...states, transition_id: `trn_${to}`, seq: to === 'down' ? 1 : 2 };
    const transition = await world.put(world.transition(['chn_1'], changes));
    const alert = await world.put(world.alertOf(transition, ['chn_1'], { channel_type: type }));
    await createNotifier(world.ports)(streamEvent(alert));
    for (const { body } of world.takeDue('delivery')) await create(world.ports)(queueEvent([body]));
    return (await world.delivery(alert.to[0]!.delivery_id))!;
  }

  it.each(types)('are sent if %s accepts the alert', async (type) => {
    expect(await alertChannel(type)).toMatchObject({ status: 'sent', error: '', attempts: 1 });
    expect(vendors.asked).toHaveLength(1);
    expect(vendors.asked[0]).toMatchObject({ host: vendorOf[type]![0] });
  });

  it.each([
    ['an incident of PagerDuty', 'pagerduty', incidents],
    ['an alert of Opsgenie', 'opsgenie', genieAlerts],
  ] as const)('open %s when a check goes down, and close it when the check is up', async (_what, type, open) => {
    open.clear();
    await alertChannel(type);
    expect([...open]).toEqual([world.check.id]);
    await alertChannel(type, {}, 'up');
    expect([...open]).toEqual([]);
  });

  it('appear as one message in Matrix if a delivery is sent twice', async () => {
    events.clear();
    const { id } = await alertChannel('matrix');
    const send = channelTypeOf('matrix')!.render({ ...examples.state_change, delivery_id: id }, configOf('matrix'));
    if (send.via !== 'http') throw new Error('matrix is not sent over HTTP');
    const { pathname, searchParams } = new URL(send.url);
    const headers = { authorization: send.headers.authorization! };
    vendorOf.matrix![1]({ method: 'PUT', path: pathname, query: searchParams, headers, body: send.body });
    expect([...events.keys()]).toEqual([id]);
  });

  it.each<[string, Record<string, string>, RegExp]>([
    ['telegram', { chat_id: '7' }, /answered 400 Bad Request: Bad Request: chat not found$/],
    ['telegram', { bot_token: '1:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa' }, /answered 404 Not Found: Not Found$/],
    ['opsgenie', { api_key: 'wrong' }, /answered 401 Unauthorized: Could not authenticate$/],
    ['pushover', { user: 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa' }, /: user identifier is not a valid user, group/],
    ['gotify', { token: 'wrong' }, /: you need to provide a valid access token/],
    ['matrix', { access_token: 'wrong' }, /: M_UNKNOWN_TOKEN Invalid access token passed\.$/],
    ['matrix', { room_id: '!other:example.com' }, /: M_FORBIDDEN User not in room$/],
    ['mattermost', { channel: 'gone' }, /: Couldn't find the channel\.$/],
    ['twilio', { to: '+15005550009' }, /is not a valid mobile number \(error 21614\)$/],
  ])('record the error of %s for %o in the words of the vendor', async (type, more, words) => {
    const delivery = await alertChannel(type, more);
    expect(delivery).toMatchObject({ status: 'retrying', attempts: 1, error: expect.stringMatching(words) });
    for (const key of channelTypeOf(type)!.secrets) expect(delivery.error).not.toContain(more[key] ?? '********');
  });

  it.each<[string, string, VendorResponse, number]>([
    [
      'telegram',
      'in its body',
      {
        status: 429,
        body: {
          ok: false,
          error_code: 429,
          description: 'Too Many Requests: retry after 7',
          parameters: { retry_after: 7 },
        },
      },
      7000,
    ],
    [
      'matrix',
      'in its body',
      { status: 429, body: { errcode: 'M_LIMIT_EXCEEDED', error: 'Too many requests', retry_after_ms: 9000 } },
      9000,
    ],
    [
      'pagerduty',
      'in a header',
      { status: 429, headers: { 'retry-after': '6' }, body: { status: 'throttle exceeded' } },
      6000,
    ],
    [
      'teams',
      'with a status of success',
      {
        status: 200,
        body: 'Webhook message delivery failed with error: Microsoft Teams endpoint returned HTTP error 429 with ContextId x',
      },
      1000,
    ],
  ])('pause, without counting an attempt, when %s requests a pause %s', async (type, _where, answer, ms) => {
    vendors.answer(answer);
    expect(await alertChannel(type)).toMatchObject({ status: 'retrying', attempts: 0 });
    expect(world.sent.find(({ queue }) => queue === 'delivery')?.not_before).toBeGreaterThanOrEqual(START + ms);
  });

  it.each<[string, VendorResponse, RegExp]>([
    [
      'teams',
      {
        status: 200,
        body: 'Webhook message delivery failed with error: Microsoft Teams endpoint returned HTTP error 413',
      },
      /answered 200 OK: .*HTTP error 413/,
    ],
    [
      'telegram',
      { status: 200, body: { ok: false, description: 'Forbidden: bot was kicked' } },
      /answered 200 OK: Forbidden: bot was kicked$/,
    ],
    [
      'pushover',
      { status: 200, body: { status: 0, errors: ['application token is invalid'] } },
      /: application token is invalid$/,
    ],
  ])('count as failed if %s rejects them with a success status', async (type, answer, words) => {
    vendors.answer(answer);
    expect(await alertChannel(type)).toMatchObject({
      status: 'retrying',
      attempts: 1,
      error: expect.stringMatching(words),
    });
  });

  it('go to two integrations of PagerDuty independently', async () => {
    vendors.answer({ status: 429, headers: { 'retry-after': '6' } });
    await alertChannel('pagerduty');
    const other = channelOf('pagerduty', { routing_key: 'S0123456789abcdef0123456789ABCDE' });
    await world.putPolicy([other]);
    expect(await testChannel(world.context, world.check, other)).toMatchObject({ status: 'sent' });
  });
});
