import { createServer, type Server } from 'node:http';
import { Session } from 'node:inspector/promises';
import type { AddressInfo } from 'node:net';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Client, clientOf } from '#test/support/client.ts';
import { eventually } from '#test/support/eventually.ts';
import { startService } from '#test/support/service.ts';
import { signedIn } from '#test/support/signed-in.ts';

const ROOT = join(import.meta.dirname, '../../..');

/**
 * A walk: the path of one operation through the code. `took`: files in which it ran a function. `stops`: number of
 * files that decide or act. `turnsBack`: number of returns to an earlier stop.
 */
export type Walk = { name: string; took: string[]; stops: number; turnsBack: number };

/**
 * Files in which a walk decides or acts, in order. A file that only computes values for these is not a stop, nor are
 * the router and the table, which every request passes.
 */
const STOPS: Record<string, readonly string[]> = {
  'probe to Slack': [
    'functions/prober.ts',
    'lib/results/slots/run-jobs.ts',
    'lib/results/probe/probe.ts',
    'lib/checks/types/http-probe.ts',
    'lib/net/http-send.ts',
    'lib/results/slots/record-probe.ts',
    'lib/checks/state/change-state.ts',
    'lib/alerting/decide/decide-change.ts',
    'lib/results/slots/record-probe.ts',
    'functions/notifier.ts',
    'lib/alerting/notify/fan-out.ts',
    'functions/deliverer.ts',
    'lib/alerting/notify/deliver.ts',
    'lib/channels/types/slack.ts',
    'lib/alerting/notify/send.ts',
    'lib/alerting/notify/record-outcome.ts',
    'lib/alerting/notify/follow-up.ts',
  ],
  ping: [
    'lib/results/pings/ping-endpoint.ts',
    'lib/results/pings/ping-path.ts',
    'lib/results/pings/ping-gate.ts',
    'lib/results/pings/receive-ping.ts',
    'lib/results/pushes/receive-push.ts',
    'lib/results/pings/receive-ping.ts',
  ],
  'edit of a check': [
    'lib/identity/sessions/session-gate.ts',
    'lib/access/authenticate.ts',
    'lib/access/rate-gate.ts',
    'lib/platform/http/access.ts',
    'lib/platform/http/validation.ts',
    'lib/checks/change/check-routes.ts',
    'lib/checks/change/change-check.ts',
    'lib/checks/settings/model.ts',
    'lib/checks/change/change-check.ts',
    'lib/checks/change/schedule-change.ts',
    'lib/checks/change/count-checks.ts',
    'lib/access/audit-writer.ts',
  ],
  'sign-in by link': [
    'lib/identity/sign-in.ts',
    'lib/identity/sign-in-link.ts',
    'lib/identity/one-time.ts',
    'lib/identity/sessions/begin-session.ts',
    'lib/identity/sessions/same-origin.ts',
    'lib/access/audit-writer.ts',
  ],
};

/**
 * Runs each walk on a service in this process and returns the files of lib/ and functions/ in which a function ran.
 * Each walk is warmed up first, so that code loaded once does not count.
 */
export async function measureWalks(): Promise<Walk[]> {
  const target = await answering();
  const slack = await answering();
  const service = await startService({ env: { CHECK_EGRESS: 'any' } });
  const admin = clientOf(service.url, service.adminKey);
  const profiler = new Session();
  profiler.connect();
  await profiler.post('Profiler.enable');
  await profiler.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  try {
    const steps = await walksOf(admin, service.url, target, slack);
    const walks: Walk[] = [];
    for (const [name, walk] of Object.entries(steps)) {
      await walk();
      await walk();
      await walk(async () => void (await profiler.post('Profiler.takePreciseCoverage')));
      const { result } = await profiler.post('Profiler.takePreciseCoverage');
      const took = result
        .filter(ranFunction)
        .map(({ url }) => relative(ROOT, fileURLToPath(url)))
        .filter(isProduct);
      const stops = STOPS[name] ?? [];
      const missing = stops.filter((stop) => !took.includes(stop));
      if (missing.length > 0) throw new Error(`${name} does not pass ${missing.join(', ')}: see STOPS.`);
      const turnsBack = stops.filter((stop, i) => stops[i - 1] !== stop && stops.indexOf(stop) < i).length;
      walks.push({ name, took: took.toSorted(), stops: new Set(stops).size, turnsBack });
    }
    return walks;
  } finally {
    profiler.disconnect();
    await service.stop();
    target.close();
    slack.close();
  }
}

type ScriptCoverage = { url: string; functions: { ranges: { count: number; startOffset: number }[] }[] };

/** Whether a function of the file ran. Offset 0 is the module itself. */
const ranFunction = ({ url, functions }: ScriptCoverage): boolean =>
  url.startsWith('file:') && functions.some(({ ranges: [whole] }) => whole!.startOffset > 0 && whole!.count > 0);

/**
 * Files of concurrent work, which do not count: a state change also opens an incident, revises rollups, and starts
 * actions.
 */
const OTHER_WALKS =
  /^(functions\/incident-keeper\.ts|lib\/incidents\/|lib\/actions\/|lib\/results\/revise-rollups\.ts)/;

const isProduct = (file: string): boolean => /^(lib|functions)\/.*\.ts$/.test(file) && !OTHER_WALKS.test(file);

type Answering = { url: string; count(): number; fail(failing: boolean): void; close(): void };

/** Starts a local server that returns 200, or 503 while it fails, and counts its requests. */
async function answering(): Promise<Answering> {
  let count = 0;
  let failing = false;
  const server: Server = createServer((request, response) => {
    request.resume().on('end', () => {
      count++;
      response.statusCode = failing ? 503 : 200;
      response.end('ok');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    count: () => count,
    fail: (value) => {
      failing = value;
    },
    close: () => void server.close(),
  };
}

/** Function that prepares the state of a walk, calls `begins`, and runs the walk. */
type Step = (begins?: () => Promise<void>) => Promise<void>;

/** Returns the function of each walk by the name of the walk. */
async function walksOf(admin: Client, url: string, target: Answering, slack: Answering): Promise<Record<string, Step>> {
  await admin.post('/v1/blueprints', { slug: 'service', name: 'Service', fields: [] });
  const { body: entity } = await admin.post('/v1/blueprints/service/entities', { slug: 'shop', name: 'Shop' });
  const check = async (more: object) => {
    const { status, body } = await admin.post('/v1/checks', { entity_id: entity.id, failure_threshold: 1, ...more });
    if (status !== 201) throw new Error(JSON.stringify(body));
    return body;
  };
  const http = { check_type: 'http', target_url: target.url, interval_seconds: 2 };
  const sent = async (n: number) => eventually(async () => slack.count() >= n || undefined);
  const { body: users } = await admin.get('/v1/settings/users');

  return {
    'probe to Slack': async (begins) => {
      const { id } = await check(http);
      const channel = { channel_type: 'slack', config: { url: slack.url } };
      await admin.post(`/v1/checks/${id}/policy/channels`, channel);
      const before = target.count();
      await eventually(async () => target.count() >= before + 2 || undefined);
      await settled();
      const alerts = slack.count();
      target.fail(true);
      await begins?.();
      await sent(alerts + 1);
      await settled();
      target.fail(false);
      if (begins) return;
      await admin.del(`/v1/checks/${id}`);
      await settled();
    },
    ping: async (begins) => {
      const { ping_url } = await check({ check_type: 'push', interval_seconds: 3600 });
      await fetch(ping_url);
      await settled();
      await begins?.();
      await fetch(ping_url);
      await settled();
    },
    'edit of a check': async (begins) => {
      const { id } = await check({ ...http, enabled: false });
      await settled();
      await begins?.();
      await admin.put(`/v1/checks/${id}`, { timeout_ms: 4000 });
    },
    'sign-in by link': async (begins) => {
      const { body } = await admin.post(`/v1/settings/users/${users[0].id}/sign-in-link`);
      const token = body.url.split('/').at(-1);
      await settled();
      await begins?.();
      await signedIn(url, '/v1/sign-in/link', { token });
    },
  };
}

/** Waits 700 ms, in which started work is written and passed on. */
const settled = () => new Promise((resolve) => setTimeout(resolve, 700));
