import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { endpointOf } from '#infra/docs/openapi.ts';
import { answeringNet } from '#infra/docs/record.ts';
import { pathOf, WALKED } from '#infra/docs/walk.ts';
import type { Places } from '#infra/docs/walk-steps.ts';
import { allRows } from '#lib/all-rows.ts';
import { systemClock } from '#lib/platform/clock.ts';
import { type Caller, callersByKey, callersByRight, keyMadeBy, people, verdictOn } from '#test/support/callers.ts';
import { type Answer, type Client, challengeOf, clientOf, failure } from '#test/support/client.ts';
import { masked, sameShape } from '#test/support/compare.ts';
import { type Service, startService, tenantOf } from '#test/support/service.ts';
import { walkAs } from '#test/support/walk-as.ts';

/**
 * Every row of the API against everybody who may call it. A new row is here by itself; what it needs to exist comes
 * from infra/docs/walk-steps.ts, and who may call it from its `access` alone. The service has no network, as the walk
 * names hosts of the world.
 */

const rows = allRows.map((row) => ({ ...row, endpoint: endpointOf(row) }));
type Row = (typeof rows)[number];
const open = rows.filter((row) => row.access === 'open');
const guarded = rows.filter((row) => row.access !== 'open');
const readable = rows.filter((row) => row.access === 'read');

/** How far the clock of the service is ahead of this machine's, in ms. */
let ahead = 0;
const clock = { ...systemClock, now: () => systemClock.now() + ahead };

let service: Service;
let places: Places;
/** The endpoints that answered a good request. */
let walked: Set<string>;
let admin: Client;
let reader: Client;
let stranger: Client;
let nobody: Client;
let callers: Caller[];
/** Those who may read, and see no secret. */
let readers: Client[];
beforeAll(async () => {
  service = await startService({ env: WALKED, world: { net: answeringNet, clock } });
  const withKey = (key: string) => clientOf(service.url, key);
  admin = withKey((await tenantOf(service)).key);
  stranger = withKey((await tenantOf(service)).key);
  nobody = withKey('');
  ({ places, walked } = await walkAs(
    admin,
    rows.map((row) => row.endpoint),
  ));
  const team = await people(service, admin);
  const named = { check: places.checks!, skill: places.skills! };
  callers = [...(await callersByRight(service, team)), ...(await callersByKey(service, admin, named))];
  reader = await keyMadeBy(service, admin, { is_read_only: true });
  const [viewer, responder] = team.map(({ client }) => client);
  const scoped = await Promise.all([['read'], ['respond']].map((scopes) => keyMadeBy(service, admin, { scopes })));
  readers = [reader, viewer!, responder!, ...scoped];
  ahead = 3_600_000;
}, 120_000);
afterAll(() => service.stop());

/** The endpoint on what the walk has made. */
const call = (
  client: Client,
  { method, endpoint }: Pick<Row, 'method' | 'endpoint'>,
  body?: unknown,
): Promise<Answer> => client.send(method, pathOf(endpoint, places), method === 'GET' ? {} : { body });

describe('the walk', () => {
  it('has called every endpoint with success but those that delete', () => {
    const left = rows.filter((row) => row.method !== 'DELETE' && !walked.has(row.endpoint));
    expect(left.map((row) => row.endpoint)).toEqual([]);
  });
});

/** An id of the same form that names nothing. */
const other = (id: string): string => `${id.slice(0, -3)}xyz`;

/** What everybody is refused in the end, behind all gates: so nothing is changed. */
const STOP = '!stop';

/** What a call of an endpoint meets at the gates. */
async function verdictFor({ client, own }: Caller, row: Row): Promise<string> {
  const path = pathOf(row.endpoint, { ...places, ...own });
  const answer = await client.send(row.method, `${path}${path.includes('?') ? '&' : '?'}${encodeURIComponent(STOP)}=1`);
  const isStopped = answer.status === 400 && answer.body.details[0].path === STOP;
  // Existence is asked behind all gates: the passkey and the identity of the walk are the admin's own.
  const isElsewhere = row.access === 'own' && answer.status === 404;
  // Where other programs lead, a query may hold what they like.
  const isServed = row.query?.def.catchall !== undefined && answer.status === row.status;
  return isStopped || isElsewhere || isServed ? 'let in' : answer.body.code;
}

describe('who may call what', () => {
  it('is said of each of them, once', () => {
    expect(new Set(callers.map(({ who }) => who)).size).toBe(callers.length);
    expect(callers.length).toBeGreaterThan(40);
  });

  it('follows for everybody from the access of the row', async () => {
    for (const caller of callers) {
      const { who, verdict } = caller;
      const met = await Promise.all(rows.map(async (row) => [row.endpoint, await verdictFor(caller, row)]));
      const due = Object.fromEntries(rows.map((row) => [row.endpoint, verdict(row)]));
      expect(Object.fromEntries(met), who).toEqual(due);
    }
  });

  it('is not said of an access without an entry', () => {
    expect(() => verdictOn({ role: 'admin' }, 'dance' as never)).toThrow('Nobody has said');
  });
});

describe('without a key', () => {
  it.each(guarded)('$endpoint says how to send one', async (row) => {
    expect(challengeOf(await call(nobody, row))).toBe('Bearer');
  });

  it.each(open)('$endpoint is open', async (row) => {
    expect((await call(nobody, row)).status).not.toBe(401);
  });
});

describe('to those who may read alone', () => {
  /** What the walk has put into secret places: a hook's path, a query, a header's value, a signing key. */
  const SECRETS = /hooks\.slack\.com|s3cret|execution=|x1y2/;

  it.each(readable)('$endpoint answers, and shows no secret', async (row) => {
    const whole = await call(admin, row);
    for (const client of readers) {
      const shown = await call(client, row);
      expect(shown.status).toBe(row.status);
      expect(JSON.stringify(shown.body)).not.toMatch(SECRETS);
      expect(sameShape(shown.body, whole.body)).toBe(true);
    }
  });

  it('there was something to hide', async () => {
    const seen = await Promise.all(readable.map((row) => call(admin, row)));
    expect(seen.filter((answer) => SECRETS.test(JSON.stringify(answer.body))).length).toBeGreaterThan(2);
  });
});

describe("another account's", () => {
  /** What makes what its path names makes one of the caller's own. */
  const named = rows.filter((row) => row.path.includes('{') && row.access !== 'open' && !row.makes);

  it.each(named)('$endpoint looks as if there were none', async (row) => {
    const nowhere = Object.fromEntries(Object.entries(places).map(([name, id]) => [name, other(id)]));
    const missing = pathOf(row.endpoint, nowhere);
    const [theirs, none] = [await call(stranger, row, {}), await stranger.send(row.method, missing)];
    expect(theirs).toMatchObject(failure(404, 'NOT_FOUND'));
    const ids = Object.values(places);
    expect(masked(theirs, ids)).toEqual(masked(none, ids.map(other)));
  });

  it('is untouched by all that', async () => {
    for (const row of rows.filter((one) => one.method === 'GET'))
      expect((await call(admin, row)).status).toBe(row.status);
  });
});

// The last of all, as nothing is left of the walk afterwards: what was made last goes first.
describe('what is deleted', () => {
  /** What lies under a thing goes before it. */
  const made = (path: string) => {
    const parts = path.split('/');
    const at = parts.findLastIndex((part) => part.startsWith('{'));
    return Object.keys(places).indexOf(parts[at - 1]!) + (at === parts.length - 1 ? 0 : 0.5);
  };

  it('is gone for every endpoint that deletes', async () => {
    const rest = pathOf('GET /v1/blueprints/{blueprint_slug}/entities', places);
    const deleting = rows.filter((row) => row.method === 'DELETE').sort((a, b) => made(b.path) - made(a.path));
    for (const row of deleting) {
      if (row.path === '/v1/blueprints/{slug}') await admin.del(`${rest}/database`);
      expect(await call(admin, row)).toMatchObject({ status: 204 });
      // What ends all of something has nothing to miss.
      const again = row.path.endsWith('}') ? failure(404, 'NOT_FOUND') : { status: 204 };
      expect(await call(admin, row)).toMatchObject(again);
    }
    for (const row of rows.filter((one) => one.method === 'GET' && one.path.endsWith('}'))) {
      // What happened stays, whatever it was about.
      if (row.path === '/v1/incidents/{id}') continue;
      expect((await call(admin, row)).status).toBe(404);
    }
  });
});
