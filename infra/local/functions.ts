import { create as actionPlanner } from '#functions/action-planner.ts';
import { create as actionRunner } from '#functions/action-runner.ts';
import { create as api } from '#functions/api.ts';
import { create as webConsole } from '#functions/console.ts';
import { create as deliverer } from '#functions/deliverer.ts';
import { create as generator } from '#functions/generator.ts';
import { create as housekeeper } from '#functions/housekeeper.ts';
import { create as incidentKeeper } from '#functions/incident-keeper.ts';
import { create as ingest } from '#functions/ingest.ts';
import { create as mcp } from '#functions/mcp.ts';
import { create as notifier } from '#functions/notifier.ts';
import { create as prober } from '#functions/prober.ts';
import { create as publicFiles } from '#functions/public.ts';
import { create as publisher } from '#functions/publisher.ts';
import { create as tester } from '#functions/tester.ts';
import { type FunctionName, functions } from '#infra/topology.ts';
import type { Ports } from '#lib/env.ts';
import { namesOf } from '#lib/platform/plain-data.ts';
import { grant } from './grant.ts';
import type { Handler } from './invoke.ts';
import type { LocalPorts } from './ports.ts';

const factories: Record<FunctionName, (ports: Ports) => Handler> = {
  api,
  'sign-in': signIn,
  console: webConsole,
  ingest,
  tester,
  mcp,
  generator,
  prober,
  notifier,
  deliverer,
  'action-planner': actionPlanner,
  'action-runner': actionRunner,
  housekeeper,
  'incident-keeper': incidentKeeper,
  publisher,
  public: publicFiles,
};

/** Loads the sign-in function on its first request, because few starts see a sign-in. */
function signIn(ports: Ports): Handler {
  const load = async () => (await import('#functions/sign-in.ts')).create(ports);
  let loading: ReturnType<typeof load> | undefined;
  return async (event) => {
    loading ??= load();
    return (await loading)(event);
  };
}

function withoutDiskWait({ table, queues, ...others }: LocalPorts): Ports {
  return {
    ...others,
    table: { ...table, transact: (writes) => table.transact(writes, 'soon') },
    queues: { send: (queue, messages) => queues.send(queue, messages, 'soon') },
  };
}

/** Creates every function of the topology with its permitted ports. */
export function makeFunctions(ports: LocalPorts): Record<FunctionName, Handler> {
  const names = namesOf(factories);
  const created = names.map((name) => {
    const allowed = functions[name].repeatable ? withoutDiskWait(ports) : ports;
    return [name, factories[name](grant(allowed, name))];
  });
  return Object.fromEntries(created) as Record<FunctionName, Handler>;
}
