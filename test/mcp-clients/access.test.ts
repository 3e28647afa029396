import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { builtInTools } from '#lib/mcp/tools/registry.ts';
import { type Guarded, type KeyScope, ROLES, type Role, SCOPES } from '#lib/platform/http/access.ts';
import { expectedOutcome, keyMadeBy, people } from '#test/support/callers.ts';
import { catalogOps } from '#test/support/catalog-ops.ts';
import type { Client } from '#test/support/client.ts';
import { isNightly } from '#test/support/nightly.ts';
import { type RealService, startRealService } from '#test/support/real-service.ts';
import { startReceiver, type WebhookReceiver } from '#test/support/webhook-receiver.ts';
import { type Call, prepare } from './fleet.ts';
import { connectV1, connectV2, transportsV1 } from './typescript.ts';

/** Access that each tool requires in addition to mcp; a tool that runs an action requires `respond`. */
const TOOLS: Record<string, Guarded> = {
  get_status_summary: 'read',
  list_entities: 'read',
  get_entity: 'read',
  list_blueprints: 'read',
  list_incidents: 'read',
  get_incident: 'read',
  add_incident_note: 'respond',
  post_incident_update: 'respond',
  get_check_results: 'read',
  explain_alert: 'read',
  acknowledge_alert: 'respond',
  get_history: 'read',
  list_slos: 'read',
  get_report: 'read',
  list_status_pages: 'read',
  get_status_page: 'read',
  list_subscribers: 'read',
  add_subscriber: 'configure',
  delete_subscriber: 'configure',
  list_pings: 'read',
  get_execution: 'read',
  list_changes: 'changes',
  who_is_on_call: 'read',
  create_monitor: 'write',
  create_check: 'write',
  test_check: 'write',
  run_check: 'respond',
  silence: 'suppress',
  restart_service: 'respond',
};

let service: RealService;
let hook: WebhookReceiver;
let calls: Call[];
let team: { role: Role; client: Client }[];
beforeAll(async () => {
  hook = await startReceiver({ host: '127.77.0.1' });
  service = await startRealService();
  calls = await prepare(service.client, hook.url);
  team = await people(service, service.client);
});
afterAll(async () => {
  await service?.[Symbol.asyncDispose]();
  await hook?.close();
});

const address = (key: string) => ({ url: `${service.url}/v1/mcp`, key });
const CLIENTS = {
  'TypeScript client 2.x': (key: string) => connectV2(address(key), 'http', 'auto'),
  ...(isNightly && { 'TypeScript SDK 1.x': (key: string) => connectV1(transportsV1.http(address(key))) }),
};
type AnyClient = {
  listTools(): Promise<{ tools: { name: string }[] }>;
  callTool(call: Call): Promise<unknown>;
  close(): Promise<void>;
};

/** Returns the names of listed tools, and of all tools whose call is not rejected. */
async function seenBy(client: AnyClient): Promise<{ listed: string[]; callable: string[] }> {
  try {
    const { tools } = await client.listTools();
    const callable: string[] = [];
    for (const call of calls) {
      const text = await client.callTool(call).then(JSON.stringify, (error: Error) => error.message);
      if (!/FORBIDDEN|Unknown tool/.test(text)) callable.push(call.name);
    }
    return { listed: tools.map(({ name }) => name).sort(), callable: callable.sort() };
  } finally {
    await client.close();
  }
}

/** Scopes of the tested keys; null for a key without scopes. */
const KEYS: (KeyScope[] | null)[] = [
  null,
  ['mcp'],
  ...SCOPES.filter((one) => one !== 'mcp').map((one): KeyScope[] => ['mcp', one]),
  [...SCOPES],
];

describe('required access', () => {
  it('is declared for each tool', () => {
    expect([...builtInTools.keys(), 'restart_service'].sort()).toEqual(Object.keys(TOOLS).sort());
    expect(calls.map(({ name }) => name).sort()).toEqual(Object.keys(TOOLS).sort());
  });
});

describe.each(Object.entries(CLIENTS))('%s', (_name, connect) => {
  it.each(ROLES.flatMap((role) => KEYS.map((scopes) => [role, scopes?.join(', ') ?? 'no scopes', scopes] as const)))(
    'lists exactly the callable tools for a key of the role %s with %s',
    async (role, _scopes, scopes) => {
      const { client: owner } = team.find((one) => one.role === role)!;
      const { key } = await keyMadeBy(service, owner, { scopes });
      const expected = Object.keys(TOOLS).filter(
        (tool) => expectedOutcome({ role, scopes }, TOOLS[tool]!) === 'let in',
      );
      expect(await seenBy(await connect(key))).toEqual({ listed: expected.sort(), callable: expected });
    },
  );

  it('lists and calls only the tools of a skill with a key restricted to it', async () => {
    const scopes = ['mcp', 'read', 'respond'];
    const { key } = await keyMadeBy(service, service.client, { scopes, skills: ['runbook'] });
    const expected = ['restart_service'];
    expect(await seenBy(await connect(key))).toEqual({ listed: expected, callable: expected });
    const reading = await keyMadeBy(service, service.client, { scopes, skills: ['catalog-ops'] });
    const named = catalogOps().tools.map(({ name }) => name);
    const readers = named.filter((tool) => TOOLS[tool] === 'read').sort();
    expect(await seenBy(await connect(reading.key))).toEqual({ listed: readers, callable: readers });
  });

  it.each(SCOPES.filter((one) => one !== 'mcp'))('is rejected with a key of only the scope %s', async (scope) => {
    const { key } = await keyMadeBy(service, service.client, { scopes: [scope] });
    await expect(connect(key)).rejects.toThrow(/403|FORBIDDEN|needs mcp/);
  });

  it('is rejected with a remedy when its key is read-only', async () => {
    const { key } = await keyMadeBy(service, service.client, { is_read_only: true });
    await expect(connect(key)).rejects.toThrow(/403|READ_ONLY|scopes mcp and read/);
  });
});
