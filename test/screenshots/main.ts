import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { openBrowserContext, startBrowser } from '#test/support/browser.ts';
import { clientOf } from '#test/support/client.ts';
import { eventually } from '#test/support/eventually.ts';
import { findProgram } from '#test/support/find-program.ts';
import { got } from '#test/support/fleet.ts';
import { startMain } from '#test/support/main-process.ts';

/**
 * `npm run test:nightly -- screenshots`: takes screenshots of the console on the demo for docs/screenshots. `--all
 * FOLDER`: every page, light and dark, in three window sizes, for review.
 */
const { values } = parseArgs({ options: { all: { type: 'string' } } });
const folder = values.all ?? join(import.meta.dirname, '../../docs/screenshots');

const VARIANTS = {
  '': { width: 1280, height: 800, colorScheme: 'light' },
  '-dark': { width: 1280, height: 800, colorScheme: 'dark' },
  '-wide': { width: 2560, height: 1300, colorScheme: 'light' },
  '-wide-dark': { width: 2560, height: 1300, colorScheme: 'dark' },
  '-phone': { width: 390, height: 844, colorScheme: 'light' },
  '-phone-dark': { width: 390, height: 844, colorScheme: 'dark' },
} as const;
/** Screenshots in the docs: few, because each version stays in the Git history. */
const IN_DOCS = new Set([
  ...[
    'fleet',
    'fleet-dark',
    'fleet-phone',
    'check',
    'check-phone-dark',
    'incidents',
    'incident',
    'checks',
    'entity-dark',
  ],
  ...['blueprint', 'map', 'alerts', 'maintenance', 'action', 'agents', 'audit', 'start', 'sign-in-phone'],
]);

/** Maximum time until the demo has an outage, a recovery, and an execution (ms). */
const STORY_MS = 240_000;

const say = (line: string) => process.stdout.write(`${line}\n`);
const dir = mkdtempSync(join(tmpdir(), 'fleetwatch-screenshots-'));
const demo = startMain({ DATA_DIR: dir, EGRESS_ALLOW: '127.0.0.1/32', LOG_LEVEL: 'warn' }, ['--demo']);
process.once('exit', () => {
  demo.child.kill('SIGKILL');
  rmSync(dir, { recursive: true, force: true });
});
const { url, key } = await demo.ready;
const client = clientOf(url, key);
const list = async (path: string) => got(await client.get(path), 200);

const HOUR_MS = 3_600_000;
const inHours = (hours: number) => new Date(Date.now() + hours * HOUR_MS).toISOString();
/** Maintenance windows that are not open yet. */
const windows = [
  { name: 'Patch Saturday', scope: { blueprint_slug: 'service' }, cron: '30 2 * * sat', duration_seconds: 10_800 },
  { name: 'Move to the new racks', scope: { all: true }, starts_at: inHours(42), ends_at: inHours(92) },
  { name: 'Restore test', scope: { all: true }, cron: '0 13 L * *', duration_seconds: 7_200 },
];
for (const window of windows) got(await client.post('/v1/windows', window), 201);

say('demo started; its outage takes about a minute');
const { check, action, execution, incident } = await eventually(async () => {
  const transitions = (await list('/v1/status/transitions')) as { from_state: string; to_state: string }[];
  if (!transitions.some((one) => one.from_state === 'down' && one.to_state === 'up')) return undefined;
  const [found] = await list('/v1/actions');
  const [run] = await list(`/v1/actions/${found.id}/executions`);
  const database = ((await list('/v1/checks')) as { id: string; slug: string }[]).find(
    ({ slug }) => slug === 'orders-database',
  );
  // The incident of the database, because its timeline has a notified channel.
  const incidents = (await list('/v1/incidents')) as { id: string; root_entity_name: string }[];
  const incident = incidents.find(({ root_entity_name }) => root_entity_name === 'Orders database')?.id;
  return database && incident && run?.verdict && { check: database.id, action: found.id, execution: run.id, incident };
}, STORY_MS);

const places: Record<string, string> = {
  fleet: '/',
  incidents: '/incidents',
  incident: `/incidents/${incident}`,
  checks: '/checks',
  check: `/checks/${check}`,
  'check-form': '/checks/new',
  catalog: '/catalog',
  blueprint: '/catalog/service',
  entity: '/entities/service/checkout',
  map: '/map',
  alerts: '/alerts',
  channels: '/alerts/channels',
  maintenance: '/alerts/windows?view=calendar',
  actions: '/actions',
  action: `/actions/${action}`,
  execution: `/executions/${execution}`,
  agents: '/agents',
  account: '/settings/account',
  team: '/settings/team',
  keys: '/settings/keys',
  'sign-ins': '/settings/sign-in',
  audit: '/settings/audit',
  appearance: '/settings/look',
  start: '/start',
};

mkdirSync(folder, { recursive: true });
const browser = await startBrowser(findProgram('chromium')!);
const { page } = await openBrowserContext(browser);
await page.goto(url);
await page.getByLabel(/^API key/).waitFor();
const shoot = async (name: string) => {
  for (const [variant, { colorScheme, ...size }] of Object.entries(VARIANTS)) {
    if (values.all === undefined && !IN_DOCS.has(name + variant)) continue;
    await page.setViewportSize(size);
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await eventually(async () => (await page.locator('.loading, [aria-busy=true]').count()) === 0);
    // Hour bars are loaded after their rows.
    await eventually(async () => (await page.locator('.row-bar:empty:visible').count()) === 0);
    await page.screenshot({ path: join(folder, `${name}${variant}.png`), scale: 'css' });
  }
};
await shoot('sign-in');
await page.getByLabel(/^API key/).fill(key);
await page.getByRole('button', { name: 'Sign in', exact: true }).click();
await page
  .getByRole('navigation', { name: 'Pages' })
  .or(page.getByRole('heading', { name: 'You are signed in' }))
  .waitFor();
for (const [name, address] of Object.entries(places)) {
  await page.goto(`${url}/#${address}`);
  await page.getByRole('heading', { level: 1 }).waitFor();
  await shoot(name);
}
await browser.close();
say(`screenshots are in ${folder}`);
process.exit(0);
