import { channelTypes } from '#lib/channels/registry.ts';
import { checkTypes } from '#lib/checks/types/registry.ts';
import type { Example } from './openapi.ts';

type Body = Record<string, unknown>;

/** Adds a valid request of every type to an example; its own request comes first. */
function withKinds({ request, ...example }: Example, member: string, kinds: Body[]): Example {
  const all = [request as Body, ...kinds.filter((kind) => kind[member] !== (request as Body)[member])];
  return { ...example, request, requests: Object.fromEntries(all.map((body) => [body[member], body])) };
}

/** Adds named examples to requests that differ by type, such as the first valid one of each check and channel type. */
export function withNamedRequests(examples: ReadonlyMap<string, Example>): ReadonlyMap<string, Example> {
  const all = new Map(examples);
  const add = (endpoint: string, member: string, kinds: (request: Body) => Body[]) => {
    const example = all.get(endpoint)!;
    all.set(endpoint, withKinds(example, member, kinds(example.request as Body)));
  };
  add('POST /v1/checks', 'check_type', ({ entity_id }) =>
    [...checkTypes.values()].map(({ type, examples }) => ({ entity_id, check_type: type, ...examples.valid[0] })),
  );
  add('POST /v1/checks/{check_id}/policy/channels', 'channel_type', () =>
    channelTypes.map(({ type, examples }) => ({ channel_type: type, config: examples.valid[0] })),
  );
  add('POST /v1/actions', 'trigger_type', () => [
    { name: 'Clear the cache', url: 'https://ci.example.com/jobs/clear-cache', trigger_type: 'manual' },
    {
      name: 'Renew the certificates',
      url: 'https://ci.example.com/jobs/renew',
      trigger_type: 'schedule',
      interval_seconds: 86_400,
    },
  ]);
  return all;
}
