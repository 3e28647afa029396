import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { App } from 'aws-cdk-lib';
import { type Finding, preflight } from '#infra/aws/preflight.ts';
import { scaleOf } from '#infra/aws/scale.ts';
import { readDeploySettings } from '#infra/aws/settings.ts';
import { limitClients, readLimits } from '#lib/aws/account-limits.ts';

const USAGE = `npm run deploy:check -- [-c NAME=value]... [--checks N]

  Reads what AWS lets this account have, with the credentials and the region of the environment, and says what to ask
  for before anything is made. -c as for deploy, in place of cdk.json; --checks: how many a minute are to be run.
  Ends with 1 when a deployment would fail.
`;

const MARKS: Record<Finding['is'], string> = { ok: 'ok      ', ask: 'ASK     ', stop: 'STOP    ', unknown: 'unknown ' };

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      context: { type: 'string', short: 'c', multiple: true, default: [] },
      checks: { type: 'string' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) {
    console.log(USAGE);
    return 0;
  }
  if (values.checks !== undefined && !/^[1-9]\d{0,8}$/.test(values.checks)) {
    throw new Error(`--checks must be a whole number, not "${values.checks}".`);
  }
  const wrong = values.context.find((pair) => !/^[A-Z_]+=/.test(pair));
  if (wrong !== undefined) throw new Error(`-c takes NAME=value, not "${wrong}".`);
  const context = Object.fromEntries(values.context.map((pair) => pair.split(/=(.*)/s).slice(0, 2)));
  const settings = readDeploySettings(new App({ context: { ...fileContext(), ...context } }).node);
  const fleet = values.checks === undefined ? undefined : scaleOf(Number(values.checks), settings.SHARDS);
  const clients = limitClients();
  try {
    const found = preflight(await readLimits(clients), settings, fleet);
    for (const { is, says } of found) console.log(`${MARKS[is]}${says}`);
    return found.some(({ is }) => is === 'stop') ? 1 : 0;
  } finally {
    clients.close();
  }
}

/** As the CDK reads it. */
const fileContext = (): Record<string, unknown> =>
  (JSON.parse(readFileSync(join(import.meta.dirname, '../cdk.json'), 'utf8')) as { context?: object }).context as never;

main().then(
  (code) => {
    process.exitCode = code;
  },
  (error: unknown) => {
    console.error((error as Error).message);
    process.exitCode = 2;
  },
);
