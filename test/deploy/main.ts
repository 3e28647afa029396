import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { UNREACHED_LIMITS } from '#test/support/service.ts';
import { CANNOT } from './cannot.ts';
import { startEdge } from './cloudfront.ts';
import { pythonTools, startEmulator } from './emulator.ts';
import { run } from './run.ts';

/**
 * `npm run test:nightly -- deploy`: deploys the service to an emulated AWS with the CDK CLI, runs the tests of this
 * folder and a selection of contract tests against it, and destroys it. The last line is: N passed, N failed. `--whole`
 * (deploy-whole): runs all contract tests that can run there. `--console` (deploy-console): runs only the console tests
 * that can run there.
 */
const { values: flags } = parseArgs({
  options: { whole: { type: 'boolean', default: false }, console: { type: 'boolean', default: false } },
});
const STACK = 'fleetwatch';
/** Goal for the whole run, without the installation of the emulator. Only printed: a slow machine is not a failure. */
const GOAL_SECONDS = 300;
const SETTINGS = {
  STACK_NAME: STACK,
  DELETION_PROTECTION: 'false',
  // Targets of the contract tests are on this machine.
  CHECK_EGRESS: 'any',
  // `any` needs a VPC. The emulator ignores the VPC.
  VPC_ID: 'vpc-0a1b2c3d4e5f60718',
  SUBNETS: 'subnet-0a1b2c3d4e5f60718',
  EGRESS_ALLOW: '127.77.0.0/16',
  MIN_INTERVAL_SECONDS: '1',
  SHARDS: '1',
  PING_URL: 'function',
  RATE_LIMITS: UNREACHED_LIMITS,
};

/** Settings of the environment, deleted at the end. */
const ENVIRONMENT = 'emulated';
const FILE = `deploy/${ENVIRONMENT}.json`;
mkdirSync('deploy', { recursive: true });
writeFileSync(FILE, JSON.stringify(SETTINGS));
process.once('exit', () => rmSync(FILE, { force: true }));
const print = (line: string) => process.stdout.write(`${line}\n`);
type World = NodeJS.ProcessEnv & { BASE_URL: string };

let passed = 0;
let failed = 0;

async function step(name: string, work: () => Promise<{ code: number; out: string; seconds: number }>) {
  const { code, out, seconds } = await work();
  if (code === 0) passed++;
  else failed++;
  print(`${code === 0 ? 'ok  ' : 'FAIL'} ${name} (${seconds.toFixed(1)} s)`);
  if (code !== 0) print(out);
  return code === 0;
}

/** Waits for the first tick, a minute after the deployment; before it, no deadline is evaluated. */
async function firstTick(url: string) {
  const began = performance.now();
  const seconds = () => (performance.now() - began) / 1000;
  let out = '';
  while (seconds() < 120) {
    try {
      out = await (await fetch(`${url}/v1/health`)).text();
      if (JSON.parse(out).ok === true) return { code: 0, out, seconds: seconds() };
    } catch (error) {
      out = String(error);
    }
    await new Promise((resolve) => setTimeout(resolve, 1000));
  }
  return { code: 1, out, seconds: seconds() };
}

/**
 * Runs projects of vitest.config.ts against the deployment.
 * @param concurrent whether they run at the same time as others; their output is then printed at their end
 */
async function runTests(
  world: NodeJS.ProcessEnv,
  projects: string[],
  { concurrent = false, limitSeconds = 400, more = [] as string[] } = {},
) {
  const chosen = projects.flatMap((name) => ['--project', name]);
  const words = ['vitest', 'run', '--config', 'test/deploy/vitest.config.ts', ...chosen, ...more];
  const { out, code } = await run('npx', words, { limitSeconds, env: world, show: !concurrent });
  if (concurrent) print(out);
  const line = /^(\d+) passed, (\d+) failed/m.exec(out);
  if (!line) print(`the tests did not finish (code ${code})`);
  passed += Number(line?.[1] ?? 0);
  failed += Number(line?.[2] ?? 1);
}

const tick = (world: World) => step('first tick of the schedule', () => firstTick(world.BASE_URL));

/** Runs tests in a browser, at the origin that CloudFront would have. */
async function inBrowser(world: World, project: string, more?: { limitSeconds: number; more: string[] }) {
  const edge = await startEdge(async () => world.BASE_URL);
  await runTests({ ...world, BASE_URL: edge.url }, [project], more);
  edge.stop();
}

async function contract(world: World) {
  // This project creates its data before the first tick, and then waits for it.
  const across = runTests(world, ['across the first tick'], { concurrent: true });
  await runTests(world, ['template', 'before the first tick']);
  await tick(world);
  await runTests(world, ['with the schedule']);
  if (flags.whole) await runTests(world, ['rest of the contract'], { limitSeconds: 1200 });
  await inBrowser(world, 'console');
  await across;
}

async function wholeConsole(world: World) {
  await tick(world);
  // Each test has a browser, in addition to the processes of the emulator.
  await inBrowser(world, 'whole console', { limitSeconds: 2400, more: ['--maxWorkers', '1'] });
}

const bin = await pythonTools();
const started = performance.now();
const emulator = await startEmulator(bin);
const dir = mkdtempSync(join(tmpdir(), 'fleetwatch-deploy-'));
const outputs = join(dir, 'outputs.json');
const env = { ...process.env, ...emulator.env, CI: 'true' };
const cdk = (limitSeconds: number, ...args: string[]) =>
  run('npx', ['cdk', '--output', join(dir, 'cdk.out'), '-c', `env=${ENVIRONMENT}`, ...args], { limitSeconds, env });

const isUp =
  (await step('cdk bootstrap', () => cdk(120, 'bootstrap', 'aws://000000000000/eu-central-1'))) &&
  (await step('cdk deploy', () => cdk(120, 'deploy', '--require-approval', 'never', '--outputs-file', outputs)));
if (isUp) {
  const deployed = JSON.parse(readFileSync(outputs, 'utf8'))[STACK] as Record<string, string>;
  const world: World = {
    ...env,
    BASE_URL: `${emulator.url}/_aws/execute-api/${deployed.ApiId}/$default`,
    TABLE_NAME: deployed.TableName!,
    BUS_NAME: deployed.BusName!,
    STREAM_URL: deployed.StreamUrlmcp ?? '',
    DEPLOYED_PING_URL: deployed.PingUrl ?? '',
    SHARDS: SETTINGS.SHARDS,
  };
  await step("operator's CLI", async () => {
    const words = ['account', 'create', '--email', 'ops@example.com', '--name', 'Operator', '--json'];
    const ran = await run(process.execPath, ['infra/admin/main.ts', ...words], {
      limitSeconds: 20,
      env: { ...world, PUBLIC_URL: deployed.ConsoleUrl },
    });
    if (ran.code === 0) Object.assign(world, { ADMIN_KEY: JSON.parse(ran.out.slice(ran.out.indexOf('{'))).key });
    return ran;
  });
  await (flags.console ? wholeConsole(world) : contract(world));
}
await step('cdk destroy', () => cdk(120, 'destroy', '--force'));
emulator.stop();
rmSync(dir, { recursive: true, force: true });

print('\nTests that cannot run here, and why:');
for (const { what, why } of CANNOT) print(`  ${what}: ${why}`);
const seconds = (performance.now() - started) / 1000;
print(`\n${Math.round(seconds)} s${flags.console || flags.whole ? '' : `; the goal is under ${GOAL_SECONDS} s`}`);
print(`${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;
