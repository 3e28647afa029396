import { checksIn, keyText } from '#test/oracle/inside.ts';
import { runAgent } from './agents.ts';
import { accountChannel, newChannel, newRota } from './alerting-bodies.ts';
import { runAppliers } from './appliers.ts';
import { runBuilder } from './builder.ts';
import { relateAtFirst, runCataloguer } from './cataloguer.ts';
import { runMaintenanceOperator } from './maintenance-operator.ts';
import { runManualRunner } from './manual-runner.ts';
import { runMcpClient } from './mcp-client.ts';
import { newCheck } from './new-check.ts';
import { entitiesIn, newAction, runMeddler, runOperator, setUpAlerts } from './operator.ts';
import { runPingingJobs } from './pinging-jobs.ts';
import { SLUGS } from './places.ts';
import { insist } from './requests.ts';
import { runResponder } from './responder.ts';

const CHECKS = 10;
const ACTIONS = 4;

type People = Parameters<typeof runAgent>[0];

const AT_WORK = [
  ...[runOperator, runMeddler, runBuilder, runCataloguer, runMaintenanceOperator],
  ...[runManualRunner, runAppliers, runResponder],
];

/** Creates a rota of two people, each with a channel. */
async function hireOnCall({ random, clock, client }: People): Promise<void> {
  const post = (path: string, body: object) => insist(random, clock, () => client('POST', path, body));
  const ids: string[] = [];
  for (const number of [1, 2]) {
    const made = await post('/v1/notify/channels', { name: `person ${number}`, ...newChannel(random, number) });
    if (made?.status === 201) ids.push((made.body as { id: string }).id);
  }
  if (ids.length > 0) await post('/v1/rotas', newRota(random, clock.now(), ids));
}

/** Simulates the tenant: creates its catalog and checks, then runs its users, pipelines and agents. */
export async function people(world: People): Promise<void> {
  const { random, clock, client, seen, end } = world;
  const post = (path: string, body: object) => insist(random, clock, () => client('POST', path, body));
  await post('/v1/blueprints', { slug: 'service', name: 'Service', fields: [] });
  for (const slug of SLUGS) await post('/v1/blueprints/service/entities', { slug, name: `Entity ${slug}`, fields: {} });
  for (let i = 0; i < CHECKS; i++) await post('/v1/checks', newCheck(random, random.pick(entitiesIn(seen)), i));
  await relateAtFirst(world);
  if (random.chance(0.6)) await post('/v1/notify/channels', { name: 'account', ...accountChannel });
  if (random.chance(0.5)) await hireOnCall(world);
  for (const [i, check] of checksIn(seen).entries()) await setUpAlerts(world, check, i);
  for (let i = 0; i < ACTIONS; i++) await post('/v1/actions', newAction(random, checksIn(seen), i));
  for (const run of AT_WORK) void run(world, end);
  void runMcpClient(world);
  void runPingingJobs(world);

  const hired = new Set<string>();
  for (; clock.now() < end; await clock.sleep(1000)) {
    for (const check of checksIn(seen)) {
      // A check with a slug belongs to a job, which pings it, or to the appliers.
      if (check.execution_mode !== 'push' || check.slug !== undefined || hired.has(check.id)) continue;
      hired.add(check.id);
      void runAgent(world, keyText(check));
    }
  }
}
