import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Client, newTenant, TIME } from '#test/support/client.ts';
import { eventually } from '#test/support/eventually.ts';
import { got, newAction, newCheck } from '#test/support/fleet.ts';
import { startReceiver, type WebhookReceiver } from '#test/support/webhook-receiver.ts';

let client: Client;
let ci: WebhookReceiver;
beforeAll(async () => {
  client = await newTenant();
  ci = await startReceiver({ host: '127.77.0.1' });
});
afterAll(() => ci.close());

const at = (path: string) => ci.received.filter((one) => one.path.startsWith(path));

describe('a state change', () => {
  const bound = async (more: object, check: object = {}) => {
    const { id: check_id, entity_id } = await newCheck(client, {
      failure_threshold: 1,
      interval_seconds: 3600,
      ...check,
    });
    const id = await newAction(client, { trigger_type: 'state_change', check_id, ...more });
    return { id, check_id, entity_id };
  };
  const push = async (check: string, success: boolean) =>
    got(await client.post(`/v1/checks/${check}/results`, { success, latency_ms: 1 }), 201);
  const history = async (id: string) => got(await client.get(`/v1/actions/${id}/executions`), 200);

  it('triggers the actions of its check with the facts of the change', async () => {
    const names = ['execution_id', 'action_id', 'action_name', 'timestamp', 'entity_id', 'entity_name', 'check_id'];
    names.push('from_state', 'to_state', 'transition_id');
    const body_template = JSON.stringify(Object.fromEntries(names.map((name) => [name, `{{${name}}}`])));
    const { id, check_id, entity_id } = await bound({ url: `${ci.url}/fired`, body_template });
    await push(check_id, true);
    await push(check_id, false);
    const [down, up] = await eventually(async () => {
      const all = await history(id);
      return (
        all.length === 2 && all.every((one: { dispatch_status: string }) => one.dispatch_status === 'success') && all
      );
    });
    const transitions = got(await client.get(`/v1/checks/${check_id}/transitions`), 200);
    expect([down, up]).toMatchObject([
      { trigger: 'state_change', transition_id: transitions[0].id },
      { trigger: 'state_change', transition_id: transitions[1].id },
    ]);
    const bodies = at('/fired').map((request) => JSON.parse(request.body));
    expect(bodies.find((body) => body.execution_id === down.id)).toEqual({
      execution_id: down.id,
      action_id: id,
      action_name: 'Deploy',
      timestamp: TIME,
      entity_id,
      entity_name: transitions[0].entity_name,
      check_id,
      from_state: 'up',
      to_state: 'down',
      transition_id: transitions[0].id,
    });
  });

  it('triggers only the actions for that state and check', async () => {
    const { id: down, check_id } = await bound({ url: `${ci.url}/only`, trigger_to_state: 'down' });
    const others = {
      up: await newAction(client, {
        url: `${ci.url}/only`,
        trigger_type: 'state_change',
        check_id,
        trigger_to_state: 'up',
      }),
      degraded: await newAction(client, {
        url: `${ci.url}/only`,
        trigger_type: 'state_change',
        check_id,
        trigger_to_state: 'degraded',
      }),
      manual: await newAction(client, { url: `${ci.url}/only`, check_id }),
      another: (await bound({ url: `${ci.url}/only` })).id,
    };
    await push(check_id, false);
    await eventually(async () => (await history(down)).length === 1);
    await push(check_id, true);
    await eventually(async () => (await history(others.up)).length === 1);
    const counts = await Promise.all([down, others.degraded, others.manual, others.another].map(history));
    expect(counts.map((list) => list.length)).toEqual([1, 0, 0, 0]);
  });

  it('triggers an action for the new state of the entity while another check is up', async () => {
    const steady = await newCheck(client, { interval_seconds: 3600 });
    await push(steady.id, true);
    const { id, check_id } = await bound(
      { url: `${ci.url}/part`, trigger_to_state: 'degraded' },
      { entity_id: steady.entity_id },
    );
    await push(check_id, false);
    await eventually(async () => (await history(id)).length === 1);
  });

  it('triggers nothing when configuration causes it or the check is deleted', async () => {
    const { id, check_id } = await bound({ url: `${ci.url}/config` });
    const { id: marker, check_id: other } = await bound({ url: `${ci.url}/marker` });
    await push(check_id, true);
    await eventually(async () => (await history(id)).length === 1);
    got(await client.put(`/v1/checks/${check_id}`, { enabled: false }), 200);
    got(await client.del(`/v1/checks/${check_id}`), 204);
    // A later transition has been processed, so the earlier ones have been too.
    await push(other, true);
    await eventually(async () => (await history(marker)).length === 1);
    expect(await history(id)).toHaveLength(1);
  });

  it('triggers an action that was bound to the check later, and not one that was unbound', async () => {
    const { id, check_id } = await bound({ url: `${ci.url}/moved-on` });
    const later = await newAction(client, { url: `${ci.url}/later` });
    got(await client.put(`/v1/actions/${id}`, { trigger_type: 'manual' }), 200);
    got(await client.put(`/v1/actions/${later}`, { trigger_type: 'state_change', check_id }), 200);
    await push(check_id, true);
    await eventually(async () => (await history(later)).length === 1);
    expect(await history(id)).toEqual([]);
  });
});
