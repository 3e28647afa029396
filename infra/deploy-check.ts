import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { App } from 'aws-cdk-lib';
import { BUNDLING_STACKS } from 'aws-cdk-lib/cx-api';
import { fixedCosts } from '#infra/aws/fixed-costs.ts';
import { type Finding, preflight } from '#infra/aws/preflight.ts';
import { scaleOf } from '#infra/aws/scale.ts';
import { readDeploySettings } from '#infra/aws/settings.ts';
import { FleetwatchStack } from '#infra/aws/stack.ts';
import { limitClients, readLimits } from '#lib/aws/account-limits.ts';

const USAGE = `npm run deploy:check -- [-c NAME=value]... [--probes-per-minute N] [--demo]

Compares the AWS quotas of this account with a deployment, using the credentials and the region of the environment, and
lists the increases to request before you deploy. -c overrides cdk.json, as for deploy.
--probes-per-minute: planned for the fleet.
--demo: accept fewer than 50 concurrent executions, with which checks and alerts can stop.
Exit code 1 if a deployment would fail.
`;

const MARKS: Record<Finding['is'], string> = { ok: 'ok      ', ask: 'ASK     ', stop: 'STOP    ', unknown: 'unknown ' };

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      context: { type: 'string', short: 'c', multiple: true, default: [] },
      'probes-per-minute': { type: 'string' },
      demo: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) {
    console.log(USAGE);
    return 0;
  }
  const planned = values['probes-per-minute'];
  if (planned !== undefined && !/^[1-9]\d{0,8}$/.test(planned)) {
    throw new Error(`--probes-per-minute must be a whole number, not "${planned}".`);
  }
  const invalid = values.context.find((pair) => !/^[A-Z_]+=/.test(pair));
  if (invalid !== undefined) throw new Error(`-c takes NAME=value, not "${invalid}".`);
  const context = Object.fromEntries(values.context.map((pair) => pair.split(/=(.*)/s).slice(0, 2)));
  // Without bundles, because only the resources count.
  const app = new App({ context: { ...fileContext(), ...context, [BUNDLING_STACKS]: [] } });
  const settings = readDeploySettings(app.node);
  const fixed = fixedCosts(new FleetwatchStack(app, settings), settings);
  const fleet = planned === undefined ? undefined : scaleOf(Number(planned), settings.SHARDS);
  const clients = limitClients();
  try {
    const findings = preflight(await readLimits(clients), settings, fixed, fleet, values.demo);
    for (const { is, message } of findings) console.log(`${MARKS[is]}${message}`);
    return findings.some(({ is }) => is === 'stop') ? 1 : 0;
  } finally {
    clients.close();
  }
}

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
