import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { create } from '#functions/deliverer.ts';
import { create as createNotifier } from '#functions/notifier.ts';
import { alertItem } from '#lib/alerting/decide/alert-item.ts';
import type { Channel } from '#lib/alerting/policy/policy.ts';
import { MAX_COMBINED } from '#lib/channels/combined.ts';
import { iso } from '#lib/platform/time.ts';
import { type AlertWorld, alertWorld, queueEvent, START, streamEvent, TENANT } from '#test/support/alert-world.ts';
import { startReceiver, type WebhookReceiver } from '#test/support/webhook-receiver.ts';

const GROUP_SECONDS = 20;

let receiver: WebhookReceiver;
let world: AlertWorld;
let channel: Channel;
beforeEach(async () => {
  receiver = await startReceiver();
  world = await alertWorld({ PUBLIC_URL: 'https://status.test' });
  const config = { url: `${receiver.url}/hook` };
  channel = {
    ...{ id: 'chn_1', channel_type: 'slack', config, destination: 'here', group_seconds: GROUP_SECONDS },
    created_at: iso(START),
  };
  await world.putPolicy([channel]);
});
afterEach(() => receiver.close());

let made = 0;

/** Adds an alert now, and returns the id of its delivery. */
async function alert(changes: Parameters<AlertWorld['transition']>[1] = {}): Promise<string> {
  made++;
  const at = world.now();
  const transition = await world.put(
    world.transition([], {
      ...world.keys.transition(TENANT, world.check.id, at, made),
      ...{ transition_id: `trn_${made}`, timestamp: iso(at), ...changes },
    }),
  );
  const item = alertItem(world.keys, {
    ...{ tenant_id: TENANT, check_id: world.check.id, entity_id: world.entity.id, transition },
    ...{ kind: 'state_change', at, n: 0, channels: [channel], expires_at: transition.expires_at },
    reports_state: transition.check_to_state === 'up' ? 'up' : 'down',
  });
  await createNotifier(world.ports)(streamEvent(await world.put(item)));
  return item.to[0]!.delivery_id;
}

/** Handles the deliveries due now. */
const run = async () => create(world.ports)(queueEvent(world.takeDue('delivery').map((one) => one.body)));
const texts = (): string[] => receiver.received.map(({ body }) => JSON.parse(body).text);
const recovery = { check_from_state: 'down', check_to_state: 'up', outage_started_at: null } as const;

describe('a channel with group_seconds', () => {
  it('sends alerts that arrive within group_seconds after the first one in one message', async () => {
    const first = await alert();
    world.pass(12_000);
    const second = await alert(recovery);
    await run();
    world.pass(7_999);
    await run();
    expect(receiver.received).toEqual([]);
    world.pass(1);
    await run();
    expect(texts()).toEqual([':red_circle: 2 alerts: 1 down, 1 up']);
    const [{ body, headers }] = receiver.received as [WebhookReceiver['received'][number]];
    expect(headers).toMatchObject({ 'x-service-delivery': first, 'x-service-kind': 'combined' });
    expect(body).toContain('Shop: checkout is down\\nCheck: up → down\\nWhy: status 503, expected 200\\n');
    expect(body).toContain('<https://status.test/#/checks/chk_pay>');
    expect(body).toContain('Shop: checkout is up again after 1 h\\nCheck: down → up');
    for (const id of [first, second])
      expect(await world.delivery(id)).toMatchObject({ status: 'sent', attempts: 1, combined_in: first });
    world.pass(GROUP_SECONDS * 1000);
    await run();
    expect(receiver.received).toHaveLength(1);
    expect(world.sent).toEqual([]);
  });

  it('sends a single alert as without group_seconds', async () => {
    const id = await alert();
    world.pass(GROUP_SECONDS * 1000);
    await run();
    expect(texts()).toEqual([':red_circle: Shop: checkout is down']);
    expect(receiver.received[0]?.headers['x-service-kind']).toBe('state_change');
    expect(await world.delivery(id)).toMatchObject({ status: 'sent', combined_in: null });
  });

  it('waits again after a message', async () => {
    await alert();
    world.pass(GROUP_SECONDS * 1000);
    await run();
    await alert(recovery);
    world.pass(GROUP_SECONDS * 1000 - 1);
    await run();
    expect(receiver.received).toHaveLength(1);
    world.pass(1);
    await run();
    expect(texts()[1]).toBe(':large_green_circle: Shop: checkout is up again after 1 h');
  });

  it('limits the alerts of a message, states how many follow, and sends the rest at once', async () => {
    const all: string[] = [];
    for (let i = 0; i < MAX_COMBINED + 3; i++) all.push(await alert());
    world.pass(GROUP_SECONDS * 1000);
    await run();
    await run();
    expect(texts()).toEqual([
      `:red_circle: ${MAX_COMBINED} alerts: ${MAX_COMBINED} down`,
      ':red_circle: 3 alerts: 3 down',
    ]);
    expect(receiver.received[0]?.body).toMatch(/And \d+ more\./);
    expect(receiver.received[0]?.body).toContain('3 more alerts follow.');
    const found = await Promise.all(all.map(world.delivery));
    expect(found.map((one) => one?.status)).toEqual(all.map(() => 'sent'));
    expect(new Set(found.map((one) => one?.combined_in)).size).toBe(2);
  });

  it('sends a message again after a crash between sending and recording, but not once it is recorded', async () => {
    const [first, second] = [await alert(), await alert(recovery)];
    const messages = world.sent.map((one) => one.body);
    world.pass(GROUP_SECONDS * 1000);
    const restore = world.failRecording();
    await run();
    restore();
    await create(world.ports)(queueEvent(messages));
    await create(world.ports)(queueEvent(messages));
    expect(texts()).toEqual(Array(2).fill(':red_circle: 2 alerts: 1 down, 1 up'));
    for (const id of [first, second]) expect(await world.delivery(id)).toMatchObject({ status: 'sent' });
  });

  it('retries the message, with alerts that have arrived since, and fails all of its deliveries in the end', async () => {
    receiver.behave({ status: 500 });
    const all = [await alert(), await alert()];
    world.pass(GROUP_SECONDS * 1000);
    await run();
    all.push(await alert());
    for (const wait of [1000, 2000]) {
      world.pass(wait);
      await run();
    }
    expect(texts().map((text) => text.slice(13, 21))).toEqual(['2 alerts', '3 alerts', '3 alerts']);
    for (const id of all) expect(await world.delivery(id)).toMatchObject({ status: 'failed', combined_in: null });
  });

  it('omits an alert that can no longer be sent, and records why', async () => {
    const [first, second] = [await alert(), await alert()];
    const stored = (await world.delivery(second))!;
    await world.put({ ...stored, entity_id: 'ent_gone' });
    const third = await alert(recovery);
    world.pass(GROUP_SECONDS * 1000);
    await run();
    world.pass(10_000);
    await run();
    expect(texts()).toEqual([':red_circle: 2 alerts: 1 down, 1 up']);
    expect((await world.delivery(second))?.error).toBe('the entity was deleted');
    for (const id of [first, third]) expect(await world.delivery(id)).toMatchObject({ status: 'sent' });
  });
});
