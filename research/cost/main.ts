import { parseArgs } from 'node:util';
import { ASSUMPTIONS } from './assumptions.ts';
import { heldAlerts } from './held-alerts.ts';
import { openConsole } from './open-console.ts';
import {
  alerts,
  allIn1000,
  allIn10000,
  failing,
  heartbeat,
  idleMonth,
  manyAccounts,
  passkeys,
  ping,
  type Report,
  retries,
  steady1000,
  steady10000,
} from './reports.ts';
import { statusPage } from './status-page.ts';

/**
 * `npm run test:nightly -- cost`: prices the service on AWS. Its functions run with the adapters and the SDK of AWS in
 * virtual time; requests, capacity, receives, invocations and GB-seconds are counted by row of the cost table. `--only
 * steady1000,heartbeat` runs a part. Exit code 1 if a target is missed.
 */
const reports: Record<string, (minutes: number) => Promise<Report>> = {
  steady1000,
  steady10000,
  manyAccounts,
  allIn1000,
  allIn10000,
  failing,
  retries,
  heartbeat,
  ping,
  alerts,
  heldAlerts,
  passkeys,
  idleMonth,
  openConsole,
  statusPage,
};
const { values } = parseArgs({ options: { only: { type: 'string' }, minutes: { type: 'string', default: '10' } } });

const print = (text: string): void => void process.stdout.write(`${text}\n`);
const verdicts: string[] = [];
for (const [name, report] of Object.entries(reports)) {
  if (values.only && !values.only.split(',').includes(name)) continue;
  const { title, text, targets = [] } = await report(Number(values.minutes));
  print(`${title}\n${text}\n`);
  verdicts.push(...targets);
}
const assumed = Object.entries(ASSUMPTIONS).map(([name, value]) => `${name} ${value}`);
print(`Assumptions (research/cost/assumptions.ts): ${assumed.join(', ')}.\n`);
print(verdicts.join('\n'));
process.exit(verdicts.some((one) => !one.startsWith('ok')) ? 1 : 0);
