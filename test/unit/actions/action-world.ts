import { NewAction } from '#lib/actions/action.ts';
import type { ActionItem } from '#lib/actions/action-item.ts';
import { createAction } from '#lib/actions/change-action.ts';
import type { ExecutionItem } from '#lib/actions/execution.ts';
import type { HttpReply, HttpRequest } from '#lib/net/net.ts';
import { alertWorld, TENANT } from '#test/support/alert-world.ts';

/** Response of the target to a request; default: 200. */
export type Target = (request: HttpRequest) => Promise<HttpReply>;

/** Result of the runner for a batch of one message: done, or retried. */
export const DONE = { batchItemFailures: [] };
export const AGAIN = { batchItemFailures: [{ itemIdentifier: 'm1' }] };

/** Properties of an interrupted execution. */
export const INTERRUPTED = {
  dispatch_status: 'failed',
  error_message: 'interrupted: may have been sent',
  status_code: 0,
};

/** Target that never responds. */
export const dead: Target = () => new Promise<never>(() => {});

const ok: Target = async () => ({ status: 200, headers: {}, body: 'fine', latency_ms: 12 });

/**
 * Builds the world of alerting with a controlled network: one tenant, entity and check, a real table, a manual clock.
 */
export async function actionWorld() {
  const world = await alertWorld();
  const requests: HttpRequest[] = [];
  let target = ok;
  world.ports.net = {
    ...world.ports.net,
    guard: async () => {},
    http: (request) => {
      requests.push(request);
      return target(request);
    },
  };
  const deploy = { name: 'Deploy', url: 'https://ci.example.com/{{execution_id}}', trigger_type: 'manual' };
  /** Returns all executions of an action, oldest first. */
  const runs = async (action: ActionItem): Promise<ExecutionItem[]> => {
    const { items } = await world.table.query<{ execution_id: string } & ExecutionItem>({
      partition: world.keys.runs(TENANT, action.id),
    });
    const found = await world.table.getMany<ExecutionItem>(
      items.map(({ execution_id }) => world.keys.execution(TENANT, execution_id)),
    );
    return found.filter((one) => one !== undefined);
  };
  return {
    ...world,
    requests,
    answer: (next: Target) => {
      target = next;
    },
    make: (more: object = {}): Promise<ActionItem> =>
      createAction(world.context, NewAction.parse({ ...deploy, ...more })),
    runs,
    /** Returns the only execution of an action. */
    onlyRun: async (action: ActionItem): Promise<ExecutionItem> => {
      const [run, ...more] = await runs(action);
      if (!run || more.length > 0) throw new Error(`${action.id} has had ${run ? 1 + more.length : 0} executions.`);
      return run;
    },
    /** Removes and returns the bodies of all messages of a queue, due or not. */
    take: (queue: string): unknown[] => {
      const bodies = world.sent.filter((one) => one.queue === queue).map((one) => one.body);
      const rest = world.sent.filter((one) => one.queue !== queue);
      world.sent.splice(0, world.sent.length, ...rest);
      return bodies;
    },
  };
}

export type ActionWorld = Awaited<ReturnType<typeof actionWorld>>;
