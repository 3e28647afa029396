import { routes } from '#infra/topology.ts';
import type { ApiEvent, ApiResult } from '#lib/platform/http/api-event.ts';
import { machines } from './machines.ts';
import type { Shared } from './process.ts';
import { virtualQueues } from './virtual-queues.ts';
import { virtualStream } from './virtual-stream.ts';

/**
 * Creates the infrastructure in virtual time: the functions, their queues and change stream, and the routing of
 * requests.
 */
export function virtualCloud(shared: Shared) {
  const wakeAll = () => {
    queues.wakeAll();
    stream.wakeAll();
  };
  const { invoke, isRunning, outage, suspend } = machines(shared, wakeAll);
  const queues = virtualQueues(shared, invoke, isRunning);
  const stream = virtualStream(shared, invoke, isRunning);

  return {
    send: queues.send,
    inserted: stream.inserted,
    wakeAll,
    outage,
    suspend,
    isRunning,
    /** Sends a request to the service; undefined if its process died. Does not throw. */
    request: async (event: ApiEvent): Promise<{ result: ApiResult; replayed: boolean } | undefined> => {
      if (!isRunning()) return undefined;
      const name = functionOf(event);
      const done = await invoke(name, async (handlers, context): Promise<ApiResult> => {
        if (name !== 'mcp') return handlers[name](event);
        const reply = await handlers.mcp(event, context);
        const headers = Object.fromEntries(reply.headers);
        return { statusCode: reply.status, headers, body: await reply.text() } as ApiResult;
      });
      return done && { result: done.reply, replayed: done.process.replayed };
    },
  };
}

/** Returns the function of the first route that matches a request. */
function functionOf({ rawPath, requestContext }: ApiEvent): 'api' | 'ingest' | 'tester' | 'mcp' | 'public' {
  const { method } = requestContext.http;
  const fits = ({ path, method: wanted }: (typeof routes)[number]): boolean =>
    (wanted === 'ANY' || wanted === method) &&
    new RegExp(`^${path.replace(/\{[^}+]+\}/g, '[^/]+').replace(/\{[^}]+\+\}/, '.*')}$`).test(rawPath);
  return routes.find(fits)!.function as 'api' | 'ingest' | 'tester' | 'mcp' | 'public';
}
