import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { builtInTools } from '#lib/mcp/tools/registry.ts';
import { type Guarded, type KeyScope, ROLES, type Role, SCOPES } from '#lib/platform/http/access.ts';
import { keyMadeBy, people, verdictOn } from '#test/support/callers.ts';
import { catalogOps } from '#test/support/catalog-ops.ts';
import type { Client } from '#test/support/client.ts';
import { isNightly } from '#test/support/nightly.ts';
import { type RealService, startRealService } from '#test/support/real-service.ts';
import { startReceiver, type WebhookReceiver } from '#test/support/webhook-receiver.ts';
import { type Call, prepare } from './fleet.ts';
import { connect1, connect2, transports1 } from './typescript.ts';

/** What each tool takes beside the access to MCP; one that runs an action takes `respond`. */
const TOOLS: Record<string, Guarded> = {
  get_status_summary: 'read',
  list_entities: 'read',
  get_entity: 'read',
  list_blueprints: 'read',
  list_incidents: 'read',
  get_incident: 'read',
  add_incident_note: 'respond',
  get_check_results: 'read',
  explain_alert: 'read',
  acknowledge_alert: 'respond',
  get_history: 'read',
  list_pings: 'read',
  get_execution: 'read',
  list_changes: 'changes',
  create_check: 'write',
  test_check: 'write',
  run_check: 'respond',
  silence: 'respond',
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
  'TypeScript client 2.x': (key: string) => connect2(address(key), 'http', 'auto'),
  ...(isNightly && { 'TypeScript SDK 1.x': (key: string) => connect1(transports1.http(address(key))) }),
};
type AnyClient = {
  listTools(): Promise<{ tools: { name: string }[] }>;
  callTool(call: Call): Promise<unknown>;
  close(): Promise<void>;
};

/** The names that are listed, and those of all tools whose call is not refused. */
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

/** null: a key without scopes. */
const KEYS: (KeyScope[] | null)[] = [
  null,
  ['mcp'],
  ...SCOPES.filter((one) => one !== 'mcp').map((one): KeyScope[] => ['mcp', one]),
  [...SCOPES],
];

describe('the tools of a key', () => {
  it('are said of each', () => {
    expect([...builtInTools.keys(), 'restart_service'].sort()).toEqual(Object.keys(TOOLS).sort());
    expect(calls.map(({ name }) => name).sort()).toEqual(Object.keys(TOOLS).sort());
  });
});

describe.each(Object.entries(CLIENTS))('%s', (_name, connect) => {
  it.each(ROLES.flatMap((role) => KEYS.map((scopes) => [role, scopes?.join(', ') ?? 'no scopes', scopes] as const)))(
    'with the key of a %s and %s is shown what it can call, and nothing else',
    async (role, _scopes, scopes) => {
      const { client: owner } = team.find((one) => one.role === role)!;
      const { key } = await keyMadeBy(service, owner, { scopes });
      const due = Object.keys(TOOLS).filter((tool) => verdictOn({ role, scopes }, TOOLS[tool]!) === 'let in');
      expect(await seenBy(await connect(key))).toEqual({ listed: due.sort(), callable: due });
    },
  );

  it('with a key that is held to a skill sees and calls the tools of that alone', async () => {
    const scopes = ['mcp', 'read', 'respond'];
    const { key } = await keyMadeBy(service, service.client, { scopes, skills: ['runbook'] });
    const due = ['restart_service'];
    expect(await seenBy(await connect(key))).toEqual({ listed: due, callable: due });
    const reading = await keyMadeBy(service, service.client, { scopes, skills: ['catalog-ops'] });
    const named = catalogOps().tools.map(({ name }) => name);
    const readers = named.filter((tool) => TOOLS[tool] === 'read').sort();
    expect(await seenBy(await connect(reading.key))).toEqual({ listed: readers, callable: readers });
  });

  it.each(SCOPES.filter((one) => one !== 'mcp'))('with a key of the scope %s alone is refused', async (scope) => {
    const { key } = await keyMadeBy(service, service.client, { scopes: [scope] });
    await expect(connect(key)).rejects.toThrow(/403|FORBIDDEN|needs mcp/);
  });

  it('with a read-only key is refused, and told what to make', async () => {
    const { key } = await keyMadeBy(service, service.client, { is_read_only: true });
    await expect(connect(key)).rejects.toThrow(/403|READ_ONLY|scopes mcp and read/);
  });
});
