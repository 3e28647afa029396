import { create as actionPlanner } from '#functions/action-planner.ts';
import { create as actionRunner } from '#functions/action-runner.ts';
import { create as aggregator } from '#functions/aggregator.ts';
import { create as api } from '#functions/api.ts';
import { create as webConsole } from '#functions/console.ts';
import { create as deliverer } from '#functions/deliverer.ts';
import { create as generator } from '#functions/generator.ts';
import { create as incidentKeeper } from '#functions/incident-keeper.ts';
import { create as ingest } from '#functions/ingest.ts';
import { create as mcp } from '#functions/mcp.ts';
import { create as notifier } from '#functions/notifier.ts';
import { create as prober } from '#functions/prober.ts';
import { create as reclaimer } from '#functions/reclaimer.ts';
import { create as tester } from '#functions/tester.ts';
import { type FunctionName, functions } from '#infra/topology.ts';
import type { Ports } from '#lib/env.ts';
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
  aggregator,
  'incident-keeper': incidentKeeper,
  reclaimer,
};

/** Loaded at its first request: most starts of a machine see nobody sign in. */
function signIn(ports: Ports): Handler {
  const made = async () => (await import('#functions/sign-in.ts')).create(ports);
  let loading: ReturnType<typeof made> | undefined;
  return async (event) => {
    loading ??= made();
    return (await loading)(event);
  };
}

/** The ports of a function that repeats its work: its commits do not wait for the disk. */
function repeating({ table, queues, ...others }: LocalPorts): Ports {
  return {
    ...others,
    table: { ...table, transact: (writes) => table.transact(writes, 'soon') },
    queues: { send: (queue, messages) => queues.send(queue, messages, 'soon') },
  };
}

/** Every function of the topology, made once for one world, each with what it may do there. */
export function makeFunctions(ports: LocalPorts): Record<FunctionName, Handler> {
  const names = Object.keys(factories) as FunctionName[];
  const made = names.map((name) => {
    const own = functions[name].repeats ? repeating(ports) : ports;
    return [name, factories[name](grant(own, name))];
  });
  return Object.fromEntries(made) as Record<FunctionName, Handler>;
}
