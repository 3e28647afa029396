import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { aws, stackOutputs } from '#infra/aws-cli.ts';
import { clientOf } from '#test/support/client.ts';
import { newCheck, newEntity } from '#test/support/fleet.ts';
import { startEdge } from './cloudfront.ts';
import { pythonTools, startEmulator } from './emulator.ts';
import { type Ran, run } from './run.ts';

/**
 * `npm run test:nightly -- deploy-path`: runs the main commands of docs/operate/aws-deploy.md on an emulated AWS, in
 * order, and prints their results. The page shows this output. The last line is: N passed, N failed.
 */
const ENVIRONMENT = 'first-hour';
const STACK = 'fleetwatch';
const FILE = `deploy/${ENVIRONMENT}.json`;
const SETTINGS = {
  ALARM_EMAIL: 'ops@example.com',
  // The emulator needs the following settings, because targets and receivers are on this machine.
  CHECK_EGRESS: 'any',
  VPC_ID: 'vpc-0a1b2c3d4e5f60718',
  SUBNETS: 'subnet-0a1b2c3d4e5f60718',
  EGRESS_ALLOW: '127.77.0.0/16',
};

const write = (settings: object) => writeFileSync(FILE, JSON.stringify(settings, null, 2));
const say = (line: string) => process.stdout.write(`${line}\n`);
let passed = 0;
let failed = 0;

/** Thrown after a failed step, because later steps depend on it. */
class Stop extends Error {}

/** Runs a step and prints its observation. Throws Stop if it fails. */
async function step(command: string, work: () => Promise<string>): Promise<void> {
  const began = performance.now();
  try {
    const observation = await work();
    passed++;
    say(`$ ${command}\n  ${observation} (${((performance.now() - began) / 1000).toFixed(0)} s)`);
  } catch (error) {
    failed++;
    say(`$ ${command}\n  FAILED: ${(error as Error).message}`);
    throw new Stop();
  }
}

/**
 * Returns the first match in the output: its first group, or all of it.
 * @throws with the output if the pattern does not match, or if the exit code is not `wanted`
 */
function matchIn({ out, code }: Ran, wanted: number, pattern: RegExp): string {
  const [text, group = text] = pattern.exec(out) ?? [];
  if (code === wanted && text !== undefined) return group!.trim();
  throw new Error(`exit code ${code} (expected ${wanted}), output (expected ${pattern}):\n${out}`);
}

const emulator = await startEmulator(await pythonTools());
mkdirSync('deploy', { recursive: true });
process.once('exit', () => rmSync(FILE, { force: true }));
Object.assign(process.env, emulator.env, { CI: 'true' });

const node = (file: string, args: string[], env: Record<string, string> = {}, limitSeconds = 600) =>
  run(process.execPath, ['--disable-warning=ExperimentalWarning', file, ...args], {
    limitSeconds,
    env: { ...process.env, ...env },
  });
const api = async (): Promise<string> => `${emulator.url}/_aws/execute-api/${(await outputs()).ApiId}/$default`;
const outputs = async (): Promise<Readonly<Record<string, string>>> => (await stackOutputs(STACK)) ?? {};
const edge = await startEdge(api, '127.77.0.1');
const env = ['--env', ENVIRONMENT];
const deploy = (...more: string[]) => node('infra/deploy/main.ts', [...env, '--yes', '--url', edge.url, ...more]);
/** Returns EGRESS_ALLOW of the deployed prober. */
const deployedEgressAllow = async (): Promise<string> => {
  const { TemplateBody } = await aws(['cloudformation', 'get-template', '--stack-name', STACK]);
  const functions = Object.values<{ Properties: { Description?: string } }>(TemplateBody.Resources);
  const prober = functions.find((one) => one.Properties?.Description === 'Fleetwatch prober') as never as {
    Properties: { Environment: { Variables: Record<string, string> } };
  };
  return prober.Properties.Environment.Variables.EGRESS_ALLOW ?? '';
};

async function deployPath(): Promise<void> {
  write(SETTINGS);
  await step('npm run deploy:check -- --env prod', async () =>
    matchIn(await node('infra/deploy/check.ts', env), 0, /^ok +(Lambda: .*)$/m),
  );
  await step('npx cdk bootstrap', async () =>
    matchIn(
      await node('node_modules/aws-cdk/bin/cdk', [
        'bootstrap',
        'aws://000000000000/eu-central-1',
        '-c',
        `env=${ENVIRONMENT}`,
      ]),
      0,
      /Environment .* bootstrapped/,
    ),
  );
  await step(
    'npm run deploy -- --env prod',
    async () => `smoke test: ${matchIn(await deploy(), 0, /^\d+ passed, 0 failed$/m)}`,
  );
  await step('confirm the mail of AWS to ALARM_EMAIL', async () => {
    const words = ['sns', 'list-subscriptions-by-topic', '--topic-arn', (await outputs()).AlarmTopic!];
    const { Subscriptions: found } = await aws(words);
    if (found.length !== 1) throw new Error(JSON.stringify(found));
    return `the topic of the alarms has the subscriber ${found[0].Endpoint}`;
  });
  const { TableName = '', ConsoleUrl = '' } = await outputs();
  const world = { TABLE_NAME: TableName, PUBLIC_URL: ConsoleUrl };
  let link = '';
  let key = '';
  await step('npm run admin -- account create --email ops@example.com --name "Example Inc"', async () => {
    const words = ['account', 'create', '--email', 'ops@example.com', '--name', 'Example Inc', '--egress', 'any'];
    const ran = await node('infra/admin/main.ts', words, world);
    key = matchIn(ran, 0, /^key +(\S+)$/m);
    link = matchIn(ran, 0, /^sign in +(\S+)$/m);
    if (!link.startsWith(`${ConsoleUrl}/#/link/`)) throw new Error(`The link is ${link}`);
    return 'a key, and a sign-in link at ConsoleUrl';
  });
  await step('open the sign-in link in a browser', async () => {
    const { status } = await fetch(`${edge.url}/v1/sign-in/link`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: edge.url, 'x-fleetwatch': 'console' },
      body: JSON.stringify({ token: link.split('/').at(-1) }),
    });
    if (status !== 201) throw new Error(`status ${status}`);
    const page = await fetch(edge.url, { headers: { accept: 'text/html' } });
    return `signed in; the console responds with ${page.status}`;
  });
  await step('curl <ping_url>', async () => {
    const client = clientOf(edge.url, key);
    const entity = await newEntity(client);
    const check = await newCheck(client, {
      entity_id: entity.id,
      check_type: 'push',
      interval_seconds: 3600,
      config: { grace_seconds: 60 },
    });
    const { status } = await fetch(edge.url + new URL(check.ping_url).pathname);
    const { state } = (await client.get(`/v1/checks/${check.id}`)).body;
    if (state !== 'up') throw new Error(`status ${status}, state ${state}`);
    return `${status}, and the check is ${state}`;
  });
  await step('npm run deploy -- diff --env prod', async () =>
    matchIn(await node('infra/deploy/main.ts', ['diff', ...env]), 0, /Number of stacks with differences: 0/),
  );
  await step('npm run deploy -- --env prod   # another EGRESS_ALLOW', async () => {
    write({ ...SETTINGS, EGRESS_ALLOW: '127.77.0.0/16,10.0.0.0/8' });
    const tested = matchIn(await deploy(), 0, /^\d+ passed, 0 failed$/m);
    return `smoke test: ${tested}; EGRESS_ALLOW is ${await deployedEgressAllow()}`;
  });
  await step('npm run deploy -- --env prod   # an EGRESS_ALLOW that makes the smoke test fail', async () => {
    write({ ...SETTINGS, EGRESS_ALLOW: '10.0.0.0/8' });
    const tested = matchIn(await deploy(), 1, /(The previous release is deployed again)\./);
    const now = await deployedEgressAllow();
    if (!now.startsWith('127.77')) throw new Error(`EGRESS_ALLOW is ${now}`);
    return `${tested}; EGRESS_ALLOW is ${now}`;
  });
  for (const [word, text] of [
    ['stop', /: (ENABLED to DISABLED)$/m],
    ['start', /: (DISABLED to ENABLED)$/m],
  ] as const)
    await step(`npm run admin -- schedule ${word} --stack fleetwatch`, async () =>
      matchIn(await node('infra/admin/main.ts', ['schedule', word, '--stack', STACK]), 0, text),
    );
  await step('npm run deploy -- destroy --env prod', async () => {
    const refused = await node('infra/deploy/main.ts', ['destroy', ...env, '--yes']);
    return matchIn(refused, 1, /cannot be deleted while TerminationProtection is enabled/);
  });
  await step('aws cloudformation update-termination-protection …, and destroy again', async () => {
    const words = ['cloudformation', 'update-termination-protection', '--stack-name', STACK];
    await aws([...words, '--no-enable-termination-protection']);
    matchIn(await node('infra/deploy/main.ts', ['destroy', ...env, '--yes']), 0, /destroyed/);
    const { Table } = await aws(['dynamodb', 'describe-table', '--table-name', TableName]);
    return `the stack is deleted, and the table remains: ${Table.TableStatus}`;
  });
}

try {
  await deployPath();
} catch (error) {
  if (!(error instanceof Stop)) throw error;
} finally {
  edge.stop();
  emulator.stop();
}
say(`${passed} passed, ${failed} failed`);
process.exit(failed > 0 ? 1 : 0);
