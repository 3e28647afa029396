import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { STORE_FILE } from '#infra/local/store/store.ts';
import { ALERTS, after, keyTable } from '#lib/keys.ts';
import { inParallel, setLimits } from '#test/long/fleet.ts';
import { watch } from '#test/long/process-tree.ts';
import { got } from '#test/support/fleet.ts';
import { type RealService, startRealService } from '#test/support/real-service.ts';
import { startReceiver } from '#test/support/webhook-receiver.ts';
import type { Figures } from './figures.ts';

const DEPENDENTS = 10_000;
const INTERVAL_SECONDS = 10;
/** Time-out from the failure to the last decision, and from its end until no alert is held. */
const PATIENCE_MS = 300_000;

/** Starts a target that returns 200, or 503 while it fails. */
async function startTarget() {
  let fails = false;
  const server = createServer((_, response) => response.writeHead(fails ? 503 : 200).end());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    fails: (now: boolean) => {
      fails = now;
    },
    [Symbol.dispose]: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

/**
 * Creates a root, entities that depend on it, a check for each, and one channel for all. @returns ids of tenant and
 * root
 */
async function makeGraph({ client, dir }: RealService, target: string, receiver: string) {
  const { id: tenant } = got(await client.get('/v1/me'), 200);
  await setLimits(
    { client, dir },
    {
      entities: 20_000,
      relations: 20_000,
      'all-checks': 20_000,
      'checks-per-minute': 120_000,
      'alerts-per-minute': 1_000_000,
    },
  );
  got(
    await client.post('/v1/notify/channels', { name: 'Team', channel_type: 'slack', config: { url: receiver } }),
    201,
  );
  got(await client.post('/v1/blueprints', { slug: 'service', name: 'Service' }), 201);
  const makeWatched = async (name: string): Promise<string> => {
    const made = await client.post('/v1/blueprints/service/entities', { slug: name, name });
    const { id: entity_id } = got(made, 201);
    const settings = { check_type: 'http', target_url: target, interval_seconds: INTERVAL_SECONDS };
    got(await client.post('/v1/checks', { ...settings, entity_id, failure_threshold: 1 }), 201);
    return entity_id;
  };
  const root = await makeWatched('root');
  const names = Array.from({ length: DEPENDENTS }, (_, n) => `dependent-${n}`);
  const dependents = await inParallel(names, 16, makeWatched);
  // Each relation increments a counter of the root's item, so more concurrent writes would conflict.
  await inParallel(dependents, 2, async (from_entity_id) =>
    got(await client.post('/v1/relations', { from_entity_id, to_entity_id: root, relation_type: 'depends_on' }), 201),
  );
  return { tenant, root };
}

/** Returns the number of held alerts under the root, and of all stored alerts. */
function countAlerts(dir: string, tenant: string, root: string): { held: number; alerts: number } {
  const db = new DatabaseSync(join(dir, STORE_FILE), { readOnly: true });
  const count = (sql: string, ...values: string[]) => Number(db.prepare(sql).get(...values)!.n);
  try {
    const { heldUnder } = keyTable({ BUCKETS: 1, SHARDS: 1 });
    return {
      held: count('SELECT count(*) AS n FROM items WHERE pk = ?', heldUnder(tenant, root)),
      alerts: count('SELECT count(*) AS n FROM items WHERE sk >= ? AND sk < ?', ALERTS, after(ALERTS)),
    };
  } finally {
    db.close();
  }
}

/** Waits for a condition. @returns the seconds until it holds @throws if it does not hold in time */
async function secondsUntil(holds: () => boolean, describe: () => string): Promise<number> {
  const began = performance.now();
  while (!holds()) {
    if (performance.now() - began > PATIENCE_MS) throw new Error(`After ${PATIENCE_MS / 1000} s: ${describe()}.`);
    await pause(500);
  }
  return (performance.now() - began) / 1000;
}

/**
 * Measures a failure of a root and of the 10,000 entities that depend on it: the seconds and CPU until each alert is
 * decided, the number of alerts sent, and the seconds and CPU from the recovery until no alert is held.
 */
export async function dependents(): Promise<Figures> {
  await using service = await startRealService();
  using target = await startTarget();
  const receiver = await startReceiver();
  const { tenant, root } = await makeGraph(service, target.url, receiver.url);
  const now = () => countAlerts(service.dir, tenant, root);
  const describe = () => `${JSON.stringify(now())} ${service.err().slice(-500)}`;
  await pause(2 * INTERVAL_SECONDS * 1000);

  target.fails(true);
  const failing = watch(service.pid());
  const isDecided = () => {
    const { held, alerts } = now();
    // Alerts that were sent are not held: the alert of the root, and those about dependents that failed first.
    return held + alerts > DEPENDENTS;
  };
  const decided_s = await secondsUntil(isDecided, describe);
  const { cpu_s } = failing.end();
  const notified = receiver.received.length;

  target.fails(false);
  const recovering = watch(service.pid());
  const over_s = await secondsUntil(() => now().held === 0, describe);
  await receiver.close();
  return {
    dependents_decided_s: decided_s,
    dependents_decided_cpu_s: cpu_s,
    dependents_notified: notified,
    dependents_over_s: over_s,
    dependents_over_cpu_s: recovering.end().cpu_s,
  };
}
