import type { Context as LambdaContext } from 'aws-lambda';
import { create as createActionPlanner } from '#functions/action-planner.ts';
import { create as createActionRunner } from '#functions/action-runner.ts';
import { create as createApi } from '#functions/api.ts';
import { create as createDeliverer } from '#functions/deliverer.ts';
import { create as createGenerator } from '#functions/generator.ts';
import { create as createHousekeeper } from '#functions/housekeeper.ts';
import { create as createIncidentKeeper } from '#functions/incident-keeper.ts';
import { create as createIngest } from '#functions/ingest.ts';
import { create as createNotifier } from '#functions/notifier.ts';
import { create as createProber } from '#functions/prober.ts';
import { create as createPublisher } from '#functions/publisher.ts';
import { create as createSignIn } from '#functions/sign-in.ts';
import { type FunctionName, functions } from '#infra/topology.ts';
import { dynamoTable } from '#lib/aws/dynamodb-table.ts';
import { eventBus } from '#lib/aws/event-bus.ts';
import { lambda } from '#lib/aws/lambda/lambda.ts';
import { leaseLimiter } from '#lib/aws/lease-limiter.ts';
import { sqsQueues } from '#lib/aws/sqs-queues.ts';
import type { Ports } from '#lib/env.ts';
import { keyTable } from '#lib/keys.ts';
import { NO_ASSETS } from '#lib/platform/assets.ts';
import { makeIds } from '#lib/platform/ids.ts';
import type { Files } from '#lib/platform/ports.ts';
import { cpuBudget, runInline } from '#lib/platform/sharing/cpu-budget.ts';
import type { Settings } from '#lib/settings.ts';
import { invokedBy, isStopped, type Lineage, NO_LINEAGE } from '#test/support/lineage.ts';
import type { Random } from '#test/support/random.ts';
import { ASSUMPTIONS as a } from './assumptions.ts';
import { type Caller, makeClients, type Services } from './clients.ts';
import { countingLog } from './counting-log.ts';
import type { CpuClock } from './cpu-clock.ts';
import type { Meter } from './meter.ts';
import type { Targets } from './targets.ts';

const factories = {
  api: createApi,
  'sign-in': createSignIn,
  ingest: createIngest,
  generator: createGenerator,
  prober: createProber,
  notifier: createNotifier,
  deliverer: createDeliverer,
  'action-planner': createActionPlanner,
  'action-runner': createActionRunner,
  housekeeper: createHousekeeper,
  'incident-keeper': createIncidentKeeper,
  publisher: createPublisher,
} satisfies Partial<Record<FunctionName, (ports: Ports) => unknown>>;
export type Invocable = keyof typeof factories;

export type World = {
  services: Services;
  meter: Meter;
  clock: CpuClock;
  /** Source of ids, so that each run has the same counts. */
  random: Random;
  settings: Settings;
  targets: Targets;
  files: Files;
};

/** Process of a function: serves one invocation at a time and is charged for it. */
type Environment = Caller & {
  handler: (event: object, context: LambdaContext) => Promise<unknown>;
  idle_since: number;
};

/** Creates the ports of a function like infra/aws/bundle/entry.ts, charged to `caller`. */
export function portsOf(world: World, name: Invocable, caller: Caller) {
  const { clock, meter, settings, targets } = world;
  const { sends } = functions[name];
  const clients = makeClients(world.services, meter, clock, caller);
  const own = clock.of(caller);
  const ids = makeIds(own, world.random.bytes);
  const shared = { clock: own, ids };
  const urls = Object.fromEntries(sends.map((queue) => [queue, `https://aws.test/queues/${queue}`]));
  const ports = {
    table: dynamoTable({ client: clients.dynamo, table: 'fleetwatch', ...shared }),
    queues: sqsQueues({ client: clients.sqs, urls, ...shared }),
    bus: eventBus({ client: clients.events, bus: 'fleetwatch', source: 'fleetwatch', ...shared }),
    files: countedFiles(world, caller),
    net: targets.netOf(clock, caller),
    clock: own,
    ids,
    log: countingLog(meter),
    metrics: { count: () => {} },
    settings,
    assets: NO_ASSETS,
    cpu: cpuBudget(world.clock, runInline),
  };
  return { ...ports, limiter: leaseLimiter({ ports, keys: keyTable(settings) }) };
}

/** Counts the requests for published files. */
const countedFiles = ({ files, meter }: World, caller: Caller): Files => ({
  put: (path, file) => {
    meter.add(caller.path, 'file_writes', 1);
    return files.put(path, file);
  },
  get: (path) => {
    meter.add(caller.path, 'file_reads', 1);
    return files.get(path);
  },
  // S3 does not charge for deletions.
  remove: (paths) => files.remove(paths),
});

/** Starts and keeps processes of functions like Lambda, and counts the costs of invocations. */
export function makeEnvironments(world: World) {
  const { clock, meter } = world;
  const idle = new Map<Invocable, Environment[]>();

  function start(name: Invocable): Environment {
    const caller: Caller = { cpu_ms: 0, path: name, lineage: NO_LINEAGE };
    const ports = portsOf(world, name, caller);
    const work = factories[name](ports) as (event: object, context: object) => Promise<unknown>;
    return Object.assign(caller, { handler: lambda(work, { log: ports.log }), idle_since: 0 });
  }

  function take(name: Invocable): { environment: Environment; cold: boolean } {
    const kept = (idle.get(name) ?? []).filter((one) => clock.now() - one.idle_since < a.kept_ms);
    const warm = kept.pop();
    idle.set(name, kept);
    return { environment: warm ?? start(name), cold: !warm };
  }

  return {
    /**
     * Invokes a function and counts the costs under the label `path`. Throws the error of the function, and an Error if
     * Lambda would stop it as recursive.
     * @param batch chains of the messages in the batch
     * @returns the result of the function
     */
    invoke: async (name: Invocable, path: string, event: object, batch: readonly Lineage[] = []): Promise<unknown> => {
      const lineage = invokedBy(name, batch);
      if (isStopped(name, lineage)) throw new Error(`Lambda would stop ${name} because of a recursive loop.`);
      const { environment, cold } = take(name);
      const { memory_mb, timeout_seconds } = functions[name];
      environment.path = path;
      environment.lineage = lineage;
      environment.cpu_ms = 0;
      const began = clock.now();
      await clock.sleep(0, environment);
      const context = { awsRequestId: 'r', getRemainingTimeInMillis: () => timeout_seconds * 1000 } as LambdaContext;
      const result = await environment.handler(event, context);
      clock.stopCharging();
      // Assumes that the function uses no CPU while it waits, so the billed time is slightly too long.
      const cpu = environment.cpu_ms * Math.max(1, a.vcpu_mb / memory_mb);
      await clock.sleep(cpu);
      const billed = Math.ceil(clock.now() - began) + (cold ? a.init_ms : 0);
      meter.add(path, 'invocations', 1);
      meter.add(path, 'gb_seconds', (billed / 1000) * (memory_mb / 1024));
      meter.log(a.platform_log_bytes);
      meter.cpu(path, environment.cpu_ms);
      environment.idle_since = clock.now();
      idle.get(name)!.push(environment);
      return result;
    },
  };
}

export type Environments = ReturnType<typeof makeEnvironments>;
