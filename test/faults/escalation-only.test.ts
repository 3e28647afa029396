import { afterEach, describe, expect, it } from 'vitest';
import { type Check, dependencyWorld } from './dependency-world.ts';
import { timeOfDay, type VirtualService, virtualService } from './virtual-service.ts';

let running: VirtualService;
afterEach(() => running.close());

const iso = (time: string) => new Date(timeOfDay(time)).toISOString();

async function from(time: string) {
  running = await virtualService(time);
  return { service: running, ...dependencyWorld(running) };
}

/** Configures a check to notify its channels only by an escalation step, after a minute. */
async function escalatedLater({ id }: Check): Promise<void> {
  const { channels } = await running.call('GET', `/v1/checks/${id}/policy`);
  const channel_ids = channels.map((one: { id: string }) => one.id);
  await running.call('POST', `/v1/checks/${id}/policy`, { escalation: [{ after_seconds: 60, channel_ids }] });
}
const lastOf = async ({ id }: Check) => (await running.call('GET', `/v1/checks/${id}/transitions`))[0].alert;
/** Returns the alerts that a receiver accepted: `shop state_change`. */
const kinds = (receiver = 'pager.test') =>
  running.host(receiver).calls.flatMap(({ body, status }) => {
    const { entity_name, kind } = JSON.parse(body);
    return status === 200 ? [`${entity_name} ${kind}`] : [];
  });

describe('a failure without recipients before its first escalation step', () => {
  it('sends no immediate alert, and takes the step later', async () => {
    const { service, addEntity, fails, alertsAt } = await from('09:30');
    const shop = await addEntity('shop');
    await escalatedLater(shop);
    await service.until('09:40');
    fails('shop');
    await service.until('09:40:30');
    expect(await lastOf(shop)).toMatchObject({
      decision: 'skipped',
      reason: 'no_channels',
      facts: { called_later: 1 },
    });
    const { sentence } = await service.call('GET', `/v1/checks/${shop.id}/explain`);
    expect(sentence).toMatch(/all its channels are notified by escalation steps/);
    await service.until('09:45');
    expect(alertsAt()).toEqual(['09:41 shop down']);
    const [{ kind, step }] = await service.call('GET', '/v1/notify/logs');
    expect({ kind, step }).toEqual({ kind: 'escalation', step: 1 });
  });

  it('takes no step while its recipients are notified of its root cause instead', async () => {
    const { service, addEntity, depends, fails, answers, alertsAt, decisionsOf } = await from('09:30');
    const [db, shop] = [await addEntity('db'), await addEntity('shop')];
    await depends(shop, db);
    await escalatedLater(shop);
    await service.until('09:40');
    fails('db', 'shop');
    await service.until('09:50');
    expect(alertsAt()).toEqual(['09:40 db down']);
    expect(await lastOf(shop)).toMatchObject({ decision: 'held', reason: 'dependency' });
    answers('db');
    await service.until('09:51');
    expect(alertsAt()).toEqual(['09:40 db down', '09:50 db up']);
    // shop got time to recover after db, and its steps count from the end of that time.
    await service.until('09:55');
    expect(alertsAt().slice(2)).toEqual(['09:52 shop down']);
    expect((await decisionsOf(shop))[0]).toBe('down skipped no_channels');
  });

  it('takes its step if its recipients were not notified of the root cause', async () => {
    const { service, addEntity, depends, fails, alertsAt } = await from('09:30');
    const [db, shop] = [await addEntity('db', { receiver: 'dba.test' }), await addEntity('shop')];
    await depends(shop, db);
    await escalatedLater(shop);
    await service.until('09:40');
    fails('db', 'shop');
    await service.until('09:45');
    expect(alertsAt()).toEqual(['09:41 shop down']);
  });

  it('waits for the end of a maintenance window, and its steps count from the first result after it', async () => {
    const { service, addEntity, fails, alertsAt } = await from('09:30');
    const shop = await addEntity('shop');
    await escalatedLater(shop);
    await service.call('POST', '/v1/windows', {
      ...{ name: 'move', starts_at: iso('09:40'), ends_at: iso('10:00'), scope: { check_ids: [shop.id] } },
    });
    await service.until('09:45');
    fails('shop');
    await service.until('09:50');
    expect(await lastOf(shop)).toMatchObject({ decision: 'held', reason: 'maintenance' });
    await service.until('10:01');
    expect(alertsAt()).toEqual([]);
    await service.until('10:02');
    expect(alertsAt()).toEqual(['10:01 shop down']);
  });
});

describe('a remediation that is abandoned', () => {
  /** Starts a service with a failing shop that alerts the pager and, five minutes later, the boss. */
  async function repaired(remediation: object) {
    const world = await from('09:30');
    const shop = await world.addEntity('shop');
    const { id } = await running.call('POST', `/v1/checks/${shop.id}/policy/channels`, {
      ...{ channel_type: 'webhook', config: { url: 'https://boss.test/hook' } },
    });
    await running.call('POST', `/v1/checks/${shop.id}/policy`, {
      escalation: [{ after_seconds: 300, channel_ids: [id] }],
    });
    await running.call('POST', '/v1/actions', {
      ...{ name: 'Restart', url: 'https://ci.example.com/x', trigger_type: 'state_change', trigger_to_state: 'down' },
      ...{ check_id: shop.id, remediation: { max_attempts: 1, ...remediation } },
    });
    await running.until('09:40');
    world.fails('shop');
    await running.until('09:41');
    return world;
  }

  it('makes the next escalation step due immediately', async () => {
    await repaired({});
    expect(kinds()).toEqual(['shop state_change', 'shop remediation_failed']);
    expect(kinds('boss.test')).toEqual(['shop escalation']);
  });

  it('can be the first notification, from which the steps count', async () => {
    const { service } = await repaired({ alert_after_remediation: true });
    expect(kinds()).toEqual(['shop remediation_failed']);
    await service.until('09:45');
    expect(kinds('boss.test')).toEqual([]);
    await service.until('09:46');
    expect(kinds('boss.test')).toEqual(['shop escalation']);
  });
});
