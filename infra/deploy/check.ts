import { parseArgs } from 'node:util';
import { fixedCostsOf } from '#infra/aws/fixed-costs.ts';
import { type Finding, ofCertificate, ofRestoredTable, preflight } from '#infra/aws/preflight.ts';
import { scaleOf } from '#infra/aws/scale.ts';
import type { DeploySettings } from '#infra/aws/settings.ts';
import { type DeployedStack, deployedStack, readCertificate } from '#infra/aws-cli.ts';
import { limitClients, readLimits } from '#lib/aws/account-limits.ts';
import { type Environment, readEnvironment } from './environment.ts';

const USAGE = `npm run deploy:check -- --env NAME [--probes-per-minute N] [--demo]

Compares the AWS quotas of this account, and its stack, with the settings in deploy/NAME.json, using the credentials and
the region of the environment. Lists the increases to request before you deploy.
--probes-per-minute: planned number, for costs and quotas.
--demo: accept fewer than 50 concurrent executions, with which checks and alerts can stop.
Exit codes: 0 a deployment may begin, 1 it would fail, 2 the check itself failed.
`;

const MARKS: Record<Finding['is'], string> = { ok: 'ok      ', ask: 'ASK     ', stop: 'STOP    ', unknown: 'unknown ' };

/** Prints the findings about the account and the stack. Throws if the stack cannot be read. */
export async function checkDeployment(
  { settings }: Environment,
  { planned, isDemo }: { planned?: number | undefined; isDemo: boolean },
): Promise<{ mayDeploy: boolean; before: DeployedStack | undefined }> {
  const fleet = planned === undefined ? undefined : scaleOf(planned, settings.SHARDS);
  const fixed = fixedCostsOf(settings);
  const clients = limitClients();
  try {
    const [limits, certificates, before] = await Promise.all([
      readLimits(clients),
      checkCertificates(settings),
      deployedStack(settings.STACK_NAME),
    ]);
    const findings = [
      ...preflight(limits, settings, fixed, fleet, isDemo),
      ...certificates,
      ...(before ? ofRestoredTable(before.template, settings) : []),
    ];
    for (const { is, message } of findings) process.stdout.write(`${MARKS[is]}${message}\n`);
    return { mayDeploy: findings.every(({ is }) => is !== 'stop'), before };
  } finally {
    clients.close();
  }
}

function checkCertificates(settings: DeploySettings): Promise<Finding[]> {
  const { DOMAIN_NAME, CERTIFICATE_ARN, STATUS_DOMAINS, STATUS_CERTIFICATE_ARN } = settings;
  const own = [
    { setting: 'CERTIFICATE_ARN', arn: CERTIFICATE_ARN, domains: [DOMAIN_NAME] },
    { setting: 'STATUS_CERTIFICATE_ARN', arn: STATUS_CERTIFICATE_ARN, domains: STATUS_DOMAINS },
  ].filter(({ arn }) => arn !== '');
  return Promise.all(
    own.map(async ({ setting, arn, domains }) => ofCertificate(setting, domains, await readCertificate(arn))),
  );
}

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      env: { type: 'string' },
      'probes-per-minute': { type: 'string' },
      demo: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) {
    process.stdout.write(USAGE);
    return 0;
  }
  const planned = values['probes-per-minute'];
  if (planned !== undefined && !/^[1-9]\d{0,8}$/.test(planned))
    throw new Error(`--probes-per-minute must be a whole number, not "${planned}".`);
  const options = { planned: planned === undefined ? undefined : Number(planned), isDemo: values.demo };
  return (await checkDeployment(readEnvironment(values.env), options)).mayDeploy ? 0 : 1;
}

if (import.meta.main) {
  main().then(
    (code) => {
      process.exitCode = code;
    },
    (error: unknown) => {
      process.stderr.write(`${(error as Error).message}\n`);
      process.exitCode = 2;
    },
  );
}
