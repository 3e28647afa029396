import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { delimiter, dirname, join } from 'node:path';
import { runAdmin } from '#infra/admin/run.ts';
import { type DeployedStack, stackOutputs } from '#infra/aws-cli.ts';
import { parseFlags, UsageError } from '#infra/flags.ts';
import { StepError } from '#infra/smoke/call.ts';
import { checkDeployment } from './check.ts';
import { type Environment, readEnvironment } from './environment.ts';
import { ASSEMBLY, replaceTemplate } from './previous.ts';

const USAGE = `npm run deploy -- --env NAME           deploys this release with the settings in deploy/NAME.json
npm run deploy -- diff --env NAME      shows what a deployment would change
npm run deploy -- destroy --env NAME   deletes the stack; table and bucket remain if protected
  --yes         does not ask for confirmation
  --demo        accepts fewer than 50 concurrent executions
  --url URL     address for the smoke test. Default: output Url. Use ApiUrl until DOMAIN_NAME leads to the stack
A deployment checks the account (deploy:check), deploys, and runs the smoke test with an account of its own. If the test
fails twice, it deploys the template of the previous release.
Exit codes: 0 done, 1 failed (diff: also if there are changes), 2 invalid input.
`;

const OPTIONS = {
  env: { type: 'string' },
  yes: { type: 'boolean', default: false },
  demo: { type: 'boolean', default: false },
  url: { type: 'string' },
  help: { type: 'boolean', short: 'h', default: false },
} as const;

type Outputs = Readonly<Record<string, string>>;

const ROOT = join(import.meta.dirname, '../..');
const say = (line: string) => process.stdout.write(`${line}\n`);

/** Runs a script with Node in a child process that uses this terminal. @returns its exit code */
async function run(file: string, args: string[], more: Record<string, string> = {}): Promise<number> {
  // The CDK starts `node` from PATH (cdk.json), so the running version of Node comes first.
  const env = { ...process.env, PATH: `${dirname(process.execPath)}${delimiter}${process.env.PATH}`, ...more };
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', file, ...args], {
    cwd: ROOT,
    env,
    stdio: 'inherit',
  });
  const [code] = await once(child, 'close');
  return code ?? 1;
}

const cdk = (args: string[]): Promise<number> => run(join(ROOT, 'node_modules/aws-cdk/bin/cdk'), args);

async function deploy(environment: Environment, options: { yes: boolean; demo: boolean; url: string | undefined }) {
  const { name } = environment;
  const { mayDeploy, before } = await checkDeployment(environment, { isDemo: options.demo });
  if (!mayDeploy) return 1;
  const approval = options.yes ? ['--require-approval', 'never'] : [];
  const code = await cdk([
    'deploy',
    '-c',
    `env=${name}`,
    '--outputs-file',
    join(ASSEMBLY, 'outputs.json'),
    ...approval,
  ]);
  if (code !== 0) return code;
  const outputs = await outputsOf(environment);
  if (await passesSmoke(environment, outputs, options.url ?? outputs.Url!)) {
    say(`\nDeployed and tested. Source maps are in ${join(ASSEMBLY, 'source-maps')}: keep them for admin trace.`);
    return 0;
  }
  await rollBack(before, environment);
  return 1;
}

async function outputsOf({ settings }: Environment): Promise<Outputs> {
  const outputs = await stackOutputs(settings.STACK_NAME);
  if (outputs === undefined) throw new StepError(`The stack ${settings.STACK_NAME} does not exist.`);
  return outputs;
}

/** Runs the smoke test with an account that exists only for it. */
async function passesSmoke({ settings }: Environment, outputs: Outputs, url: string): Promise<boolean> {
  const world = {
    ...process.env,
    TABLE_NAME: outputs.TableName,
    PUBLIC_URL: outputs.ConsoleUrl,
    SHARDS: String(settings.SHARDS),
    BUCKETS: String(settings.BUCKETS),
  };
  const admin = async (...words: string[]) => {
    const { code, out, err } = await runAdmin([...words, '--json'], world);
    if (code !== 0) throw new StepError(`admin ${words.slice(0, 2).join(' ')}: ${err.trim()}`);
    return JSON.parse(out);
  };
  const who = ['--email', 'smoke-test@fleetwatch.invalid', '--name', 'Smoke test', '--shared-email'];
  const { account, key } = await admin('account', 'create', ...who, '--egress', settings.CHECK_EGRESS);
  try {
    const stream = settings.CDN ? [] : ['--stream', outputs.StreamUrlmcp!];
    const args = url === outputs.Url ? stream : ['--no-stream'];
    const smoke = () => run('infra/smoke/main.ts', [url, ...args, '--patience', '120'], { KEY: key });
    if ((await smoke()) === 0) return true;
    say('\nRepeating the smoke test, because the network can cause a single failure.');
    return (await smoke()) === 0;
  } finally {
    await admin('account', 'delete', account.id, '--confirm', account.id);
  }
}

async function rollBack(before: DeployedStack | undefined, { settings, name }: Environment): Promise<void> {
  if (before === undefined) {
    say('\nThe smoke test failed twice. This is the first deployment, so no previous release exists.');
    return;
  }
  say('\nThe smoke test failed twice. Rolling back to the previous release.');
  replaceTemplate(settings.STACK_NAME, before.template);
  const code = await cdk(['deploy', '-c', `env=${name}`, '--app', ASSEMBLY, '--require-approval', 'never']);
  say(
    code === 0
      ? 'The previous release is deployed again.'
      : 'The rollback failed: see docs/operate/backup-and-upgrade.md.',
  );
}

const WORDS = ['deploy', 'diff', 'destroy'];

async function main(args: string[]): Promise<number> {
  const { options, words } = parseFlags(args, OPTIONS, true);
  if (options.help) {
    process.stdout.write(USAGE);
    return 0;
  }
  const [word = 'deploy', ...more] = words;
  if (!WORDS.includes(word) || more.length > 0) throw new UsageError(`Use ${WORDS.join(', ')}; deploy is the default.`);
  const environment = readEnvironment(options.env);
  const context = ['-c', `env=${environment.name}`];
  if (word === 'diff') return cdk(['diff', '--fail', ...context]);
  if (word === 'destroy') return cdk(['destroy', ...context, ...(options.yes ? ['--force'] : [])]);
  return deploy(environment, { yes: options.yes, demo: options.demo, url: options.url });
}

main(process.argv.slice(2)).then(
  (code) => {
    process.exitCode = code;
  },
  (error: unknown) => {
    process.stderr.write(`${(error as Error).message}\n`);
    process.exitCode = error instanceof StepError ? 1 : 2;
  },
);
