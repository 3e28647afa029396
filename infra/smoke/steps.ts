import { randomBytes } from 'node:crypto';
import { type Call, caller, eventually, expected, type Json, StepError } from './call.ts';
import { testMcpByPost, testMcpByStream } from './mcp.ts';

export type Options = {
  url: string;
  key: string;
  target: string;
  /** URL that the alert is posted to. Default: the heartbeat URL of a push check of the service. */
  receiver: string | undefined;
  stream: string | undefined;
  patience: number;
};

/** Options, and the ids of resources that earlier steps created. */
type Walk = Options & { call: Call; name: string; entity?: string; probed?: string; pushed?: string; page?: string };

type Step = {
  name: string;
  /** @returns a short description of the result. Throws StepError. */
  run(walk: Walk): Promise<string>;
};

export function beginWalk(options: Options): Walk {
  return { ...options, call: caller(options.url, options.key), name: `smoke-${randomBytes(4).toString('hex')}` };
}

const required = (id: string | undefined, by: string): string => {
  if (id === undefined) throw new StepError(`skipped because "${by}" failed`);
  return id;
};

/** Steps in order; a step is skipped if one that it needs has failed. */
export const STEPS: Step[] = [
  { name: 'health', run: health },
  { name: 'account', run: account },
  { name: 'entity', run: entity },
  { name: 'check', run: check },
  { name: 'heartbeat', run: heartbeat },
  { name: 'alert', run: alert },
  { name: 'status page', run: statusPage },
  { name: 'MCP by POST', run: ({ call }) => testMcpByPost(call) },
  {
    name: 'MCP by stream',
    run: async ({ stream, key }) =>
      stream === undefined
        ? 'skipped'
        : `the response came ${await testMcpByStream(stream, key)} ms after its request was accepted`,
  },
];

async function health({ url }: Walk): Promise<string> {
  const callWithoutKey = caller(url, '');
  const body = expected(await callWithoutKey('GET', '/v1/health'), 200, 'GET /v1/health');
  const { status } = await callWithoutKey('HEAD', '/v1/health');
  if (status >= 500) throw new StepError(`HEAD /v1/health returned ${status}`);
  return body.ok
    ? 'healthy'
    : `reachable, but not healthy (the first tick comes within a minute): ${JSON.stringify(body)}`;
}

async function account({ call }: Walk): Promise<string> {
  const me = expected(await call('GET', '/v1/me'), 200, 'GET /v1/me');
  if (me.is_read_only) throw new StepError('the key is read-only; use an unrestricted key of an admin');
  return `${me.id}, ${me.name}, role of the key: ${me.role}`;
}

async function entity(walk: Walk): Promise<string> {
  const { call, name } = walk;
  expected(await call('POST', '/v1/blueprints', { slug: name, name: 'Smoke test' }), 201, 'POST /v1/blueprints');
  const path = `/v1/blueprints/${name}/entities`;
  walk.entity = expected(await call('POST', path, { slug: name, name: 'Smoke test' }), 201, `POST ${path}`).id;
  return `${walk.entity} of the blueprint ${name}`;
}

async function check(walk: Walk): Promise<string> {
  const { call, target, patience } = walk;
  const settings = {
    entity_id: required(walk.entity, 'entity'),
    check_type: 'http',
    target_url: target,
    interval_seconds: 60,
    failure_threshold: 1,
  };
  const { id } = expected(await call('POST', '/v1/checks', settings), 201, 'POST /v1/checks');
  const result = await eventually('the first result of the check', patience, async () => {
    const { last_result } = expected(await call('GET', `/v1/checks/${id}`), 200, 'GET /v1/checks/{id}');
    return (last_result ?? undefined) as Json;
  });
  if (!result.success) throw new StepError(`the probe of ${target} failed: ${result.error_message}`);
  walk.probed = id;
  return `${target} is up, ${result.latency_ms} ms`;
}

async function heartbeat(walk: Walk): Promise<string> {
  const settings = {
    check_type: 'push',
    interval_seconds: 3600,
    failure_threshold: 1,
    config: { grace_seconds: 7200 },
  };
  const body = { ...settings, entity_id: required(walk.entity, 'entity'), name: 'Smoke test' };
  const { id } = expected(await walk.call('POST', '/v1/checks', body), 201, 'POST /v1/checks');
  expected(await walk.call('POST', `/v1/checks/${id}/heartbeat`), 201, 'POST /v1/checks/{id}/heartbeat');
  const { state } = expected(await walk.call('GET', `/v1/checks/${id}`), 200, 'GET /v1/checks/{id}');
  if (state !== 'up') throw new StepError(`the check is ${state} after its heartbeat`);
  walk.pushed = id;
  return 'accepted, and the check is up';
}

/** Makes the check fail by expecting another status. The ntfy channel posts to `receiver`, or else a heartbeat URL. */
async function alert(walk: Walk): Promise<string> {
  const { call, patience, receiver } = walk;
  const probed = required(walk.probed, 'check');
  const url = receiver ?? `${walk.url}/v1/checks/${required(walk.pushed, 'heartbeat')}/heartbeat`;
  const key = receiver
    ? undefined
    : expected(await call('POST', '/v1/auth/keys', { label: walk.name }), 201, 'POST /v1/auth/keys');
  const channel = { channel_type: 'ntfy', config: { url, ...(key && { token: key.key }) } };
  const path = `/v1/checks/${probed}/policy/channels`;
  const { id } = expected(await call('POST', path, channel), 201, `POST ${path}`);
  expected(await call('PUT', `/v1/checks/${probed}`, { expected_status: 599 }), 200, 'PUT /v1/checks/{id}');
  const began = performance.now();
  const sent = await eventually('an alert in GET /v1/notify/logs', patience, async () => {
    const log: Json[] = expected(await call('GET', '/v1/notify/logs'), 200, 'GET /v1/notify/logs');
    return log.find((one) => one.channel_id === id && ['sent', 'failed'].includes(one.status));
  });
  if (sent.status === 'failed') throw new StepError(`${url} did not accept the alert ${sent.id}: ${sent.error}`);
  return `sent ${((performance.now() - began) / 1000).toFixed(1)} s after the target began to fail; attempts: ${sent.attempts}`;
}

async function statusPage(walk: Walk): Promise<string> {
  const { call, name, url } = walk;
  const groups = [{ components: [{ name: 'Smoke test', entity_id: required(walk.entity, 'entity') }] }];
  const settings = { slug: name, title: 'Smoke test', visibility: 'public', groups };
  walk.page = expected(await call('POST', '/v1/status-pages', settings), 201, 'POST /v1/status-pages').id;
  const path = `/status/${name}.json`;
  const { state } = expected(await caller(url, '')('GET', path), 200, `GET ${path}`);
  return `public, and shows the state ${state}`;
}

/** Deletes everything that the steps have created. Throws a StepError that names the remaining resources. */
export async function cleanUp({ call, name, page }: Walk): Promise<string> {
  const left: string[] = [];
  const remove = async (path: string) => {
    const { status, body } = await call('DELETE', path);
    if (status !== 204 && status !== 404) left.push(`${path} (${status} ${body?.error ?? ''})`);
  };
  if (page !== undefined) await remove(`/v1/status-pages/${page}`);
  // The deletion of an entity deletes its checks and sends no closing alerts.
  await remove(`/v1/blueprints/${name}/entities/${name}`);
  await remove(`/v1/blueprints/${name}`);
  const keys = await call('GET', '/v1/auth/keys');
  for (const one of keys.status === 200 ? keys.body : []) {
    if (one.label === name) await remove(`/v1/auth/keys/${one.id}`);
  }
  if (left.length > 0) throw new StepError(`not deleted; delete manually: ${left.join(', ')}`);
  return 'everything deleted except incidents and log entries';
}
