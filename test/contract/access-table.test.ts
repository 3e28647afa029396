import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { type KeyScope, ROLES, type Role, SCOPES } from '#lib/platform/http/access.ts';
import { type ApiResponse, type Client, keyOf, memberOf, newTenant } from '#test/support/client.ts';
import { got, newCheck } from '#test/support/fleet.ts';

/** Rows of docs/api/auth.md#what-a-request-needs: request, minimum role, scopes. */
const ROWS = readFileSync('docs/api/auth.md', 'utf8')
  .split('### What a request needs')[1]!
  .split('###')[0]!
  .split('\n')
  .map((line) => /^\| ([a-z][\w ]+) \| `(\w+)` \| (.*) \|$/.exec(line))
  .filter((row) => row !== null)
  .map(([, request = '', role, scopes = '']) => ({
    request,
    role: role as Role,
    scopes: [...scopes.matchAll(/`(\w+)`/g)].map(([, scope]) => scope as KeyScope),
  }));

const HOUR = 3_600_000;
const ahead = (hours: number) => new Date(Date.now() + hours * HOUR).toISOString();

let admin: Client & { id: string };
let check: { id: string; entity_id: string };
let incident: string;
let channel: string;
let callers: { role: Role; scopes: KeyScope[] | null; client: Client & { id: string } }[];
beforeAll(async () => {
  admin = await newTenant();
  check = await newCheck(admin);
  incident = got(await admin.post('/v1/incidents', { title: 'Slow', impact: 'degraded' }), 201).id;
  const body = { name: 'Ops', channel_type: 'webhook', config: { url: 'https://127.77.0.1:9/' } };
  channel = got(await admin.post('/v1/notify/channels', body), 201).id;
  const members = await Promise.all(
    ROLES.map(async (role) => ({ role, scopes: null, client: await memberOf(admin, role) })),
  );
  const keys = await Promise.all(
    SCOPES.map(async (scope) => ({
      role: 'admin' as const,
      scopes: [scope],
      client: await keyOf(admin, { scopes: [scope] }),
    })),
  );
  callers = [...members, ...keys];
});

const silence = (by: Client, applies_to: object | null, hours: number) =>
  by.post('/v1/notify/silences', { applies_to, until: ahead(hours) });
const window = (by: Client, scope: object, hours: number) =>
  by.post('/v1/windows', { name: 'Move', scope, starts_at: ahead(0), ends_at: ahead(hours) });
const oneCheck = () => ({ check_ids: [check.id] });

/** Functions that send the request of a row. */
const REQUESTS: Record<string, (by: Client & { id: string }) => Promise<ApiResponse>> = {
  'read a check': (by) => by.get(`/v1/checks/${check.id}`),
  'rename a key': (by) => by.put(`/v1/auth/keys/${by.id}`, { label: 'Renamed' }),
  'run a check': (by) => by.post(`/v1/checks/${check.id}/run`),
  'test a channel': (by) => by.post(`/v1/notify/channels/${channel}/test`),
  'acknowledge a failure': (by) => by.post(`/v1/checks/${check.id}/acknowledge`, {}),
  'create an incident': (by) => by.post('/v1/incidents', { title: 'Slow', impact: 'degraded' }),
  'add a note to an incident': (by) => by.post(`/v1/incidents/${incident}/notes`, { text: 'Seen' }),
  'silence a check for a day': (by) => silence(by, oneCheck(), 24),
  'silence a check for two days': (by) => silence(by, oneCheck(), 48),
  'silence all checks for an hour': (by) => silence(by, null, 1),
  'end a silence of all checks': async (by) =>
    by.del(`/v1/notify/silences/${got(await silence(admin, null, 1), 201).id}`),
  'create a window of a check for an hour': (by) => window(by, oneCheck(), 1),
  'create a window of a check for two days': (by) => window(by, oneCheck(), 48),
  'create a recurring window of a check': (by) =>
    by.post('/v1/windows', { name: 'Backup', scope: oneCheck(), cron: '0 3 * * *', duration_seconds: 60 }),
  'create a window of all checks': (by) => window(by, { all: true }, 1),
  'extend a window of a check to two days': async (by) =>
    by.put(`/v1/windows/${got(await window(admin, oneCheck(), 1), 201).id}`, { ends_at: ahead(48) }),
  'end a window of all checks': async (by) =>
    by.put(`/v1/windows/${got(await window(admin, { all: true }, 1), 201).id}`, { ends_at: ahead(0.5) }),
  'silence a check in its policy': (by) => by.post(`/v1/checks/${check.id}/policy`, { silenced: true }),
  'send a result': (by) => by.post(`/v1/checks/${check.id}/results`, { success: true, latency_ms: 5 }),
  'change an entity': (by) => by.put('/v1/blueprints/service/entities/none', { name: 'Shop' }),
  'create an action': (by) => by.post('/v1/actions', {}),
  'invite a user': (by) => by.post('/v1/settings/users/invite', {}),
};

describe('the table of what a request needs', () => {
  it('has a row for each request of this test', () => {
    expect(ROWS.map(({ request }) => request)).toEqual(Object.keys(REQUESTS));
  });

  it.each(ROWS)('names the required role and scopes to $request', async ({ request, role, scopes }) => {
    for (const caller of callers) {
      const { status, body } = await REQUESTS[request]!(caller.client);
      const isAllowed =
        ROLES.indexOf(caller.role) >= ROLES.indexOf(role) &&
        (!caller.scopes || caller.scopes.some((scope) => scopes.includes(scope)));
      const who = `${caller.role} ${caller.scopes ?? 'without scopes'}`;
      expect([who, status === 403 && body.code]).toEqual([who, isAllowed ? false : 'FORBIDDEN']);
    }
  });
});
