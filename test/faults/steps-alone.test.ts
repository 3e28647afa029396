import { afterEach, describe, expect, it } from 'vitest';
import { type Check, dependencyWorld } from './dependency-world.ts';
import { timeOfDay, type VirtualService, virtualService } from './virtual-service.ts';

let open: VirtualService;
afterEach(() => open.close());

const iso = (time: string) => new Date(timeOfDay(time)).toISOString();

async function from(time: string) {
  open = await virtualService(time);
  return { service: open, ...dependencyWorld(open) };
}

/** Has the channels of a check called by a step alone, after a minute. */
async function calledLater({ id }: Check): Promise<void> {
  const { channels } = await open.call('GET', `/v1/checks/${id}/policy`);
  const channel_ids = channels.map((one: { id: string }) => one.id);
  await open.call('POST', `/v1/checks/${id}/policy`, { escalation: [{ after_seconds: 60, channel_ids }] });
}
const lastOf = async ({ id }: Check) => (await open.call('GET', `/v1/checks/${id}/transitions`))[0].alert;
/** What a receiver took: `down state_change`. */
const kinds = (receiver = 'pager.test') =>
  open.host(receiver).calls.flatMap(({ body, status }) => {
    const { entity_name, kind } = JSON.parse(body);
    return status === 200 ? [`${entity_name} ${kind}`] : [];
  });

describe('a failure that nobody hears before the first step of its escalation', () => {
  it('is told to nobody at once, and calls the step a while after', async () => {
    const { service, watched, fails, told } = await from('09:30');
    const shop = await watched('shop');
    await calledLater(shop);
    await service.until('09:40');
    fails('shop');
    await service.until('09:40:30');
    expect(await lastOf(shop)).toMatchObject({
      decision: 'skipped',
      reason: 'no_channels',
      facts: { called_later: 1 },
    });
    const { sentence } = await service.call('GET', `/v1/checks/${shop.id}/explain`);
    expect(sentence).toMatch(/all its channels are notified by steps of its escalation/);
    await service.until('09:45');
    expect(told()).toEqual(['09:41 shop down']);
    const [{ kind, step }] = await service.call('GET', '/v1/notify/logs');
    expect({ kind, step }).toEqual({ kind: 'escalation', step: 1 });
  });

  it('calls nobody while it follows from what they were told of', async () => {
    const { service, watched, depends, fails, answers, told, alertsOf } = await from('09:30');
    const [db, shop] = [await watched('db'), await watched('shop')];
    await depends(shop, db);
    await calledLater(shop);
    await service.until('09:40');
    fails('db', 'shop');
    await service.until('09:50');
    expect(told()).toEqual(['09:40 db down']);
    expect(await lastOf(shop)).toMatchObject({ decision: 'held', reason: 'dependency' });
    answers('db');
    await service.until('09:51');
    expect(told()).toEqual(['09:40 db down', '09:50 db up']);
    // It has had the time to recover, and its steps count from then.
    await service.until('09:55');
    expect(told().slice(2)).toEqual(['09:52 shop down']);
    expect((await alertsOf(shop))[0]).toBe('down skipped no_channels');
  });

  it('calls its step where those were not told', async () => {
    const { service, watched, depends, fails, told } = await from('09:30');
    const [db, shop] = [await watched('db', { receiver: 'dba.test' }), await watched('shop')];
    await depends(shop, db);
    await calledLater(shop);
    await service.until('09:40');
    fails('db', 'shop');
    await service.until('09:45');
    expect(told()).toEqual(['09:41 shop down']);
  });

  it('waits for the end of planned work as any other, and its steps count from the first result after it', async () => {
    const { service, watched, fails, told } = await from('09:30');
    const shop = await watched('shop');
    await calledLater(shop);
    await service.call('POST', '/v1/windows', {
      ...{ name: 'move', starts_at: iso('09:40'), ends_at: iso('10:00'), scope: { check_ids: [shop.id] } },
    });
    await service.until('09:45');
    fails('shop');
    await service.until('09:50');
    expect(await lastOf(shop)).toMatchObject({ decision: 'held', reason: 'maintenance' });
    await service.until('10:01');
    expect(told()).toEqual([]);
    await service.until('10:02');
    expect(told()).toEqual(['10:01 shop down']);
  });
});

describe('when a repair is given up', () => {
  /** A shop whose alerts go to the pager, and after an hour to the boss. */
  async function repaired(remediation: object) {
    const world = await from('09:30');
    const shop = await world.watched('shop');
    const { id } = await open.call('POST', `/v1/checks/${shop.id}/policy/channels`, {
      ...{ channel_type: 'webhook', config: { url: 'https://boss.test/hook' } },
    });
    await open.call('POST', `/v1/checks/${shop.id}/policy`, {
      escalation: [{ after_seconds: 300, channel_ids: [id] }],
    });
    await open.call('POST', '/v1/actions', {
      ...{ name: 'Restart', url: 'https://ci.example.com/x', trigger_type: 'state_change', trigger_to_state: 'down' },
      ...{ check_id: shop.id, remediation: { max_attempts: 1, ...remediation } },
    });
    await open.until('09:40');
    world.fails('shop');
    await open.until('09:41');
    return world;
  }

  it('the next step of the escalation is called at once', async () => {
    await repaired({});
    expect(kinds()).toEqual(['shop state_change', 'shop remediation_failed']);
    expect(kinds('boss.test')).toEqual(['shop escalation']);
  });

  it('and that is the first that people hear of it, its steps count from then', async () => {
    const { service } = await repaired({ alert_after_remediation: true });
    expect(kinds()).toEqual(['shop remediation_failed']);
    await service.until('09:45');
    expect(kinds('boss.test')).toEqual([]);
    await service.until('09:46');
    expect(kinds('boss.test')).toEqual(['shop escalation']);
  });
});
