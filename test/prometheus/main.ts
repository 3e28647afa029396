import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MAX_CHECKS } from '#lib/metrics/read-metrics.ts';
import { inParallel, setLimits } from '#test/long/fleet.ts';
import { clientOf } from '#test/support/client.ts';
import { eventually } from '#test/support/eventually.ts';
import { pushTo } from '#test/support/failing-check.ts';
import { findProgram } from '#test/support/find-program.ts';
import { got, newCheck } from '#test/support/fleet.ts';
import { lastingPort } from '#test/support/lasting-port.ts';
import { type RealService, startRealService } from '#test/support/real-service.ts';

/**
 * `npm run test:nightly -- prometheus`: a real Prometheus scrapes a service with the settings of the docs, and answers
 * each query of the docs and of the dashboard; promtool checks the metrics and the rules. Then measures the size and
 * time of a scrape of 4,000 checks, the maximum.
 */
const root = join(import.meta.dirname, '../..');
const say = (line: string) => process.stdout.write(`${line}\n`);
const read = (file: string) => readFileSync(join(root, file), 'utf8');

const [promtool, prometheus] = ['promtool', 'prometheus'].map(findProgram);
if (!promtool || !prometheus) {
  say('skipped: promtool and prometheus are not installed; on Debian: apt-get install prometheus');
  say('0 passed, 0 failed, 1 skipped');
  process.exit(0);
}

const RULES = ['docs/use/prometheus/rules.yml', 'docs/use/prometheus/service-rules.yml'];
const MAX_BYTES = 6_000_000;
const MAX_SECONDS = 2;
/** Time for two scrapes, one per second, on a busy machine (ms). */
const PATIENCE_MS = 20_000;
/** Documented queries and panels that have no samples here: no check has a certificate or is overdue. */
const WITHOUT_SAMPLES = /certificate_expiry|check_stale == 1/;

let passed = 0;
let failed = 0;
async function step(name: string, run: () => unknown): Promise<void> {
  try {
    const shown = await run();
    passed++;
    say(`ok: ${name}${shown === undefined ? '' : `: ${shown}`}`);
  } catch (error) {
    failed++;
    say(`failed: ${name}: ${(error as Error).message}`);
  }
}

function expectThat(isTrue: boolean, otherwise: string): void {
  if (!isTrue) throw new Error(otherwise);
}

/** Runs promtool; throws its output unless it exits with 0. */
function check(words: readonly string[], input = ''): string {
  const { status, stdout, stderr } = spawnSync(promtool!, words, { cwd: root, input, encoding: 'utf8' });
  expectThat(status === 0, `exit ${status}: ${stdout}${stderr}`);
  return (stdout.match(/SUCCESS.*/) ?? [])[0] ?? 'no complaints';
}

/** Returns the code blocks in a language on a page. */
const blocks = (page: string, language: string): string[] =>
  [...read(page).matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms'))].map(([, text = '']) => text);

/** Returns the documented settings of Prometheus, with the addresses and the key of this service. */
function configOf(service: RealService, metricsPort: number, keyFile: string): string {
  const jobOf = (page: string) => {
    const [block = ''] = blocks(page, 'yaml').filter((text) => text.startsWith('scrape_configs:'));
    return block.replace('scrape_configs:\n', '');
  };
  const checks = jobOf('docs/use/metrics.md')
    .replace('scheme: https', 'scheme: http')
    .replace('scrape_interval: 1m', 'scrape_interval: 1s')
    .replace('/etc/prometheus/fleetwatch-key', keyFile)
    .replace('fleetwatch.example.com', new URL(service.url).host);
  const own = jobOf('docs/operate/install.md').replace(':9788', `:${metricsPort}`);
  const rules = `rule_files:\n${RULES.map((file) => `  - ${join(root, file)}\n`).join('')}`;
  return `global:\n  scrape_interval: 1s\n  evaluation_interval: 1s\n${rules}scrape_configs:\n${checks}${own}`;
}

type Series = { metric: Record<string, string>; value: [number, string] };
type Rule = { name: string; health: string; lastError?: string };

/** Starts Prometheus on the loopback address. */
async function startPrometheus(dir: string) {
  const address = `127.0.0.1:${await lastingPort()}`;
  const words = ['--config.file', join(dir, 'prometheus.yml'), '--storage.tsdb.path', join(dir, 'data')];
  let err = '';
  const child: ChildProcess = spawn(prometheus!, [...words, `--web.listen-address=${address}`]);
  child.stderr!.on('data', (chunk) => {
    err += chunk;
  });
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  await eventually(async () => {
    expectThat(child.exitCode === null, err);
    return (await fetch(`http://${address}/-/ready`)).ok;
  }, PATIENCE_MS);
  async function get<Data>(path: string): Promise<Data> {
    const response = await fetch(`http://${address}/api/v1/${path}`);
    const { status, error, data } = (await response.json()) as { status: string; error?: string; data: Data };
    expectThat(status === 'success', `${path}: ${error}`);
    return data;
  }
  return {
    query: async (query: string) => (await get<{ result: Series[] }>(`query?${new URLSearchParams({ query })}`)).result,
    rules: async () => (await get<{ groups: { rules: Rule[] }[] }>('rules')).groups.flatMap(({ rules }) => rules),
    [Symbol.dispose]: () => {
      process.off('exit', kill);
      kill();
    },
  };
}

/**
 * Returns the queries of the docs, and of the panels and variables of the dashboard. Replaces the variables of Grafana
 * with values.
 */
function documentedQueries(): string[] {
  const documented = blocks('docs/use/metrics.md', 'promql').flatMap((text) =>
    text.split('\n').filter((line) => line !== '' && !line.startsWith('#')),
  );
  const { panels, templating } = JSON.parse(read('docs/use/prometheus/dashboard.json')) as {
    panels: { targets: { expr: string }[] }[];
    templating: { list: { type: string; query: { query: string } }[] };
  };
  const variables = templating.list
    .filter(({ type }) => type === 'query')
    .map(({ query }) => query.query.replace(/^label_values\((\w+), (\w+)\)$/, '$1{$2!=""}'));
  const shown = panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
  return [
    ...documented,
    ...variables,
    ...shown.map((expr) => expr.replaceAll('$entity', '.*').replaceAll('$__range', '5m')),
  ];
}

async function withPrometheus(dir: string): Promise<void> {
  const metricsPort = await lastingPort();
  await using service = await startRealService({ METRICS_PORT: String(metricsPort) });
  const { client } = service;
  const scope = { label: 'Prometheus', scopes: ['metrics'] };
  const scraper = clientOf(service.url, got(await client.post('/v1/auth/keys', scope), 201).key);
  writeFileSync(join(dir, 'key'), scraper.key, { mode: 0o600 });
  writeFileSync(join(dir, 'prometheus.yml'), configOf(service, metricsPort, join(dir, 'key')));
  const make = (name: string) =>
    newCheck(client, { name, failure_threshold: 1, interval_seconds: 3600, labels: { team: 'shop' } });
  const [up, down, gone] = [await make('up "1" \\ ☃'), await make('down'), await make('gone')];
  for (const { id } of [up, gone]) await pushTo(client, id, true);
  await pushTo(client, down.id, false);

  await step('promtool check metrics, GET /metrics', async () =>
    check(['check', 'metrics'], got(await scraper.get('/metrics?labels=team'), 200)),
  );
  await step('promtool check metrics, METRICS_PORT', async () =>
    check(['check', 'metrics'], await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text()),
  );
  await step('promtool check config', () => check(['check', 'config', join(dir, 'prometheus.yml')]));

  using server = await startPrometheus(dir);
  const sampleOf = async (query: string) => (await server.query(query))[0]?.value[1];
  for (const job of ['fleetwatch', 'fleetwatch-service'])
    await step(`Prometheus scrapes the job ${job}`, async () => {
      await eventually(async () => (await sampleOf(`up{job="${job}"}`)) === '1', PATIENCE_MS);
      return `up ${await sampleOf(`up{job="${job}"}`)}, ${await sampleOf(`scrape_samples_scraped{job="${job}"}`)} samples`;
    });
  await step('the state of each check arrives', async () => {
    const states = { [up.id]: '1', [down.id]: '0', [gone.id]: '1' };
    for (const [id, value] of Object.entries(states))
      await eventually(async () => (await sampleOf(`fleetwatch_check_up{check_id="${id}"}`)) === value, PATIENCE_MS);
  });
  for (const query of documentedQueries())
    await step(`query ${query}`, async () => {
      const { length } = await server.query(query);
      expectThat(length > 0 || WITHOUT_SAMPLES.test(query), 'has no samples');
      return `${length} series`;
    });
  await step('the rules are evaluated', async () => {
    const alert = `ALERTS{alertname="FleetwatchCheckDown", check_id="${down.id}"}`;
    const all = ['probe_success', 'check:fleetwatch_check_up:avg_1d', 'entity:fleetwatch_check_up:min', alert];
    // The first two groups run once a minute.
    for (const query of all) await eventually(async () => (await server.query(query)).length > 0, 90_000);
    const rules = await server.rules();
    const broken = rules.filter(({ health }) => health !== 'ok').map(({ name, lastError }) => `${name}: ${lastError}`);
    expectThat(broken.length === 0, broken.join());
    return `${rules.length} rules`;
  });
  await step('each metric of the rules of the service has samples', async () => {
    const names = new Set(read('docs/use/prometheus/service-rules.yml').match(/\bfleetwatch_\w+/g));
    for (const name of names) expectThat((await server.query(name)).length > 0, `${name} has no samples`);
    return `${names.size} metrics`;
  });
  await step('a deleted check has no sample from the next scrape on', async () => {
    const query = `fleetwatch_check_up{check_id="${gone.id}"}`;
    expectThat((await server.query(query)).length === 1, 'has no sample before');
    got(await client.del(`/v1/checks/${gone.id}`), 204);
    const began = performance.now();
    await eventually(async () => (await server.query(query)).length === 0, PATIENCE_MS);
    return `${Math.round(performance.now() - began)} ms`;
  });
}

const CHECKS_PER_ENTITY = 80;

/** Measures a scrape of the maximum number of checks, with names of 40 characters and three labels. */
async function withMostChecks(): Promise<void> {
  await using service = await startRealService();
  const { client } = service;
  const entities = MAX_CHECKS / CHECKS_PER_ENTITY;
  await setLimits(service, { checks: 90, entities: entities + 1, 'all-checks': MAX_CHECKS + 1 });
  got(await client.post('/v1/blueprints', { slug: 'service', name: 'Service' }), 201);
  const owners = await inParallel([...Array(entities).keys()], 8, async (i) => {
    const labels = { team: 'payments', env: 'production', region: 'eu-central-1' };
    const entity = { slug: `a-service-with-a-long-name-${i}`, name: `Service ${i}`, labels };
    return got(await client.post('/v1/blueprints/service/entities', entity), 201).id as string;
  });
  const make = async (i: number) => {
    const name = `Check ${i} `.padEnd(40, 'x');
    const settings = { entity_id: owners[i % entities], name, interval_seconds: 3600, failure_threshold: 1 };
    const { id } = await newCheck(client, settings);
    await pushTo(client, id, true);
  };
  await inParallel([...Array(MAX_CHECKS).keys()], 32, make);
  const scrape = (encoding: string) => {
    const headers = { authorization: `Bearer ${client.key}`, 'accept-encoding': encoding };
    return fetch(`${service.url}/metrics?labels=team,env,region`, { headers });
  };
  await step(`a scrape of ${MAX_CHECKS} checks is below ${MAX_BYTES / 1e6} MB and ${MAX_SECONDS} s`, async () => {
    const times: number[] = [];
    let sizes = { sent: 0, text: 0 };
    for (let i = 0; i < 5; i++) {
      const began = performance.now();
      const response = await scrape('gzip');
      const text = await response.text();
      times.push((performance.now() - began) / 1000);
      expectThat(response.status === 200, text);
      // A Lambda function returns it in base64.
      sizes = { sent: Number(response.headers.get('content-length')) * (4 / 3), text: Buffer.byteLength(text) };
    }
    // The fastest scrape, because other programs share the machine.
    const seconds = Math.min(...times);
    const [sent, text] = [sizes.sent, sizes.text].map((bytes) => (bytes / 1e6).toFixed(2));
    const shown = `${sent} MB in base64, ${text} MB of text, ${seconds.toFixed(2)} s (fastest of 5)`;
    expectThat(sizes.sent < MAX_BYTES && seconds < MAX_SECONDS, shown);
    return shown;
  });
  await step('a scrape without gzip is rejected with a remedy', async () => {
    const response = await scrape('identity');
    const text = await response.text();
    expectThat(response.status === 400 && text.includes('Accept-Encoding: gzip'), `${response.status} ${text}`);
  });
  await step('a scrape of one more check is rejected', async () => {
    await make(0);
    const { status, body } = await client.get('/metrics');
    expectThat(status === 400 && body.code === 'VALIDATION_ERROR', `${status} ${JSON.stringify(body)}`);
    return body.details[0].message;
  });
}

const dir = mkdtempSync(join(tmpdir(), 'fleetwatch-prometheus-'));
process.once('exit', () => rmSync(dir, { recursive: true, force: true }));
for (const file of RULES) await step(`promtool check rules ${file}`, () => check(['check', 'rules', file]));
await step('promtool test rules', () => check(['test', 'rules', 'test/prometheus/rules-test.yml']));
await withPrometheus(dir);
await withMostChecks();
say(`${passed} passed, ${failed} failed`);
process.exit(failed > 0 ? 1 : 0);
