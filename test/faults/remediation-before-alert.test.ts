import { afterEach, describe, expect, it } from 'vitest';
import { dependencyWorld } from './dependency-world.ts';
import { type VirtualService, virtualService } from './virtual-service.ts';

let running: VirtualService;
afterEach(() => running.close());

/** Starts a service with a shop and a remediation that by default runs before the alert of the shop. */
async function from(time: string, remediation: object = {}) {
  running = await virtualService(time);
  const world = { service: running, ...dependencyWorld(running) };
  const shop = await world.addEntity('shop');
  const action: { id: string } = await running.call('POST', '/v1/actions', {
    ...{
      name: 'Restart',
      url: 'https://ci.example.com/restart',
      trigger_type: 'state_change',
      trigger_to_state: 'down',
    },
    ...{ check_id: shop.id, remediation: { alert_after_remediation: true, max_attempts: 1, ...remediation } },
  });
  return { ...world, shop, action };
}

/** Returns the alerts that a receiver accepted: `down state_change`. */
const kinds = (receiver = 'pager.test') =>
  running.host(receiver).calls.flatMap(({ body, status }) => {
    const { check_to_state, kind } = JSON.parse(body);
    return status === 200 ? [`${check_to_state} ${kind}`] : [];
  });
const lastOf = async ({ id }: { id: string }) => (await running.call('GET', `/v1/checks/${id}/transitions`))[0];

describe('a failure with a remediation before its alert', () => {
  it('is not reported if the remediation helps, and neither is the recovery', async () => {
    const { service, fails, answers, alertsAt, shop, action } = await from('09:30');
    await service.until('09:40');
    fails('shop');
    await service.until('09:40:12');
    const { alert } = await lastOf(shop);
    expect(alert).toMatchObject({ decision: 'held', reason: 'remediation', facts: { action_id: action.id } });
    answers('shop');
    await service.until('09:50');
    expect(alertsAt()).toEqual([]);
    const [up, down] = await service.call('GET', `/v1/checks/${shop.id}/transitions`);
    expect([down.alert, up.alert]).toMatchObject([
      { decision: 'skipped', reason: 'remediation' },
      { decision: 'skipped', reason: 'remediation' },
    ]);
  });

  it('is reported when the first verification shows that the remediation did not help, and not before', async () => {
    const { service, fails, alertsAt, shop } = await from('09:30', { max_attempts: 3 });
    await service.until('09:40');
    fails('shop');
    await service.until('09:40:11');
    expect(alertsAt()).toEqual([]);
    await service.until('09:41');
    expect(kinds()).toEqual(['down state_change']);
    expect((await lastOf(shop)).alert).toMatchObject({ decision: 'planned', reason: null });
  });

  it('is reported once when no attempt is left, by the alert about the failed remediation', async () => {
    const { service, fails, shop } = await from('09:30');
    await service.until('09:40');
    fails('shop');
    await service.until('09:45');
    expect(kinds()).toEqual(['down remediation_failed']);
    expect((await lastOf(shop)).alert).toMatchObject({ decision: 'skipped', reason: 'remediation' });
  });

  it('is reported if no verification follows within the settling time, two intervals and the timeout of the check', async () => {
    const { service, fails, shop, action } = await from('09:30', { verify_within_seconds: 3600, settle_seconds: 60 });
    await service.until('09:40');
    fails('shop');
    await service.until('09:40:12');
    const [run] = await service.call('GET', `/v1/actions/${action.id}/executions`);
    await service.call('POST', `/v1/actions/executions/${run.id}/events`, { status: 'running' });
    const { timestamp, alert } = await lastOf(shop);
    const { timeout_ms } = await service.call('GET', `/v1/checks/${shop.id}`);
    expect(Date.parse(alert.attributed_to.next_evaluation_at) - Date.parse(timestamp)).toBe(80_000 + timeout_ms);
    await service.until('09:41:25');
    expect(kinds()).toEqual([]);
    await service.until('09:41:45');
    expect(kinds()).toEqual(['down state_change']);
  });

  it('is reported immediately if a guard leaves no attempt', async () => {
    const { service, fails, answers } = await from('09:30', { cooldown_seconds: 3600, stable_seconds: 0 });
    await service.until('09:40');
    fails('shop');
    await service.until('09:40:12');
    answers('shop');
    await service.until('09:45');
    fails('shop');
    await service.until('09:45:15');
    expect(kinds()).toEqual(['down state_change']);
  });

  it('is reported normally when the action is deleted or no longer a remediation', async () => {
    const { service, fails, alertsAt, shop, action } = await from('09:30');
    await service.call('PUT', `/v1/actions/${action.id}`, { remediation: null });
    await service.until('09:40');
    fails('shop');
    await service.until('09:40:11');
    expect(alertsAt()).toEqual(['09:40 shop down']);
    const second = await service.call('POST', '/v1/actions', {
      ...{ name: 'Again', url: 'https://ci.example.com/x', trigger_type: 'state_change', trigger_to_state: 'down' },
      ...{ check_id: shop.id, remediation: { alert_after_remediation: true } },
    });
    await service.call('DELETE', `/v1/actions/${second.id}`);
    const { remediations } = await service.call('GET', `/v1/checks/${shop.id}`);
    expect(remediations).toBeUndefined();
  });

  it('waits for the evaluation of its root cause, and is remediated if it has none', async () => {
    const { service, addEntity, depends, fails, answers, alertsAt, shop } = await from('09:30', { max_attempts: 3 });
    const db = await addEntity('db');
    await depends(shop, db);
    await service.until('09:40');
    fails('shop');
    await service.until('09:40:05');
    expect(alertsAt()).toEqual([]);
    await service.until('09:42');
    expect(kinds()).toEqual(['down state_change']);
    answers('shop');
    await service.until('09:50');
    // A downstream failure is not remediated.
    fails('db', 'shop');
    await service.until('09:55');
    expect(alertsAt().filter((line) => line.endsWith('down'))).toEqual([
      expect.stringMatching(/shop/),
      '09:50 db down',
    ]);
  });
});
