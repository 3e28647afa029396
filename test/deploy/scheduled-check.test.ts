import { afterAll, beforeAll, expect, it } from 'vitest';
import { deployedTable } from '#lib/aws/deployed-table.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import { revisionItem } from '#lib/checks/settings/revisions.ts';
import { checkIdOf, keyTable } from '#lib/keys.ts';
import { systemClock } from '#lib/platform/clock.ts';
import { makeIds } from '#lib/platform/ids.ts';
import { probeEntry } from '#lib/schedule/entries.ts';
import { readSettings } from '#lib/settings.ts';
import { type Client, newTenant } from '#test/support/client.ts';
import { eventually } from '#test/support/eventually.ts';
import { got, newCheck } from '#test/support/fleet.ts';
import type { Tenant } from '#test/support/service.ts';
import { httpTarget } from '#test/support/socket-target.ts';
import { listenToBus } from './bus-listener.ts';

/**
 * Timeout of the first result (ms). The first tick comes a minute after the deployment; the jobs of an entry written
 * after a tick begin two minutes after that tick.
 */
const TO_FIRST_RESULT_MS = 200_000;
const PATIENCE_MS = 60_000;
const INTERVAL_SECONDS = 10;

const ids = makeIds(systemClock);
const keys = keyTable(readSettings(process.env));
const table = deployedTable(process.env.TABLE_NAME!);
const listener = listenToBus(process.env.BUS_NAME!, { source: ['fleetwatch'], 'detail-type': ['state_change'] });
let client: Client & Tenant;
beforeAll(async () => {
  client = await newTenant();
});
afterAll(async () => {
  await (await listener).stop();
  table.close();
});

/**
 * Creates a check for which only the generator sends jobs, on a tick. The API sends the jobs of a new check itself for
 * some minutes, so this check is written directly into the table, as a copy of a disabled check with its own cell.
 */
async function checkOfTheSchedule(target_url: string): Promise<string> {
  const settings = { check_type: 'http', interval_seconds: INTERVAL_SECONDS, failure_threshold: 1, enabled: false };
  const made = await newCheck(client, { ...settings, target_url });
  const model = (await table.get<CheckItem>(keys.check(client.id, made.id)))!;
  const { tenant_id } = model;
  const cell = ids.token();
  const id = checkIdOf(Date.now(), cell, 0);
  const check = { ...model, ...keys.check(tenant_id, id), id, v: ids.token(), enabled: true };
  const due = { tenant_id, cell, interval_seconds: INTERVAL_SECONDS };
  await table.transact([
    { put: check, if: 'absent' },
    { put: revisionItem(keys, check), if: 'absent' },
    { put: probeEntry(keys, due, ids.token(), { from: Date.now(), checks: 1 }), if: 'absent' },
  ]);
  return id;
}

it('probes and alerts only by the schedule: tick, generator, job, prober, stream, notifier, deliverer, bus', async () => {
  let status = 200;
  await using shop = await httpTarget((_request, response) => void response.writeHead(status).end());
  let alerts = 0;
  await using chat = await httpTarget((_request, response) => {
    alerts++;
    response.end('ok');
  });
  const id = await checkOfTheSchedule(shop.url);
  got(await client.post(`/v1/checks/${id}/policy`, { cooldown_seconds: 0 }), 200);
  const channel = { channel_type: 'slack', config: { url: `${chat.url}/alerts` } };
  got(await client.post(`/v1/checks/${id}/policy/channels`, channel), 201);

  const state = async () => got(await client.get(`/v1/checks/${id}`), 200).state;
  await eventually(async () => (await state()) === 'up', TO_FIRST_RESULT_MS);
  status = 503;
  await eventually(() => alerts === 1, PATIENCE_MS);
  expect(await state()).toBe('down');

  const transitions = got(await client.get(`/v1/checks/${id}/transitions`), 200);
  expect(transitions).toMatchObject([{ to_state: 'down', alert: { decision: 'planned' } }, { to_state: 'up' }]);
  const own = async () => (await (await listener).received()).filter(({ detail }) => detail.check_id === id);
  await eventually(async () => (await own()).length >= 2, PATIENCE_MS);
  const downEvent = (await own()).find(({ detail }) => detail.check_to_state === 'down');
  expect(downEvent).toMatchObject({
    source: 'fleetwatch',
    'detail-type': 'state_change',
    detail: { transition_id: transitions[0].id, from_state: 'up', to_state: 'down', check_from_state: 'up' },
  });
});
