import { parseArgs } from 'node:util';
import { StepError } from '#infra/smoke/call.ts';
import { createFixtures, deleteFixtures, fixturesOf, type Given } from './fixtures.ts';
import { ITEMS, type Measurement } from './items.ts';
import { readStack, type Stack } from './metrics.ts';

const USAGE = `Measures a deployed stack in ten minutes, and compares the results with thresholds. Costs under $1.
  npm run aws:checklist -- --url URL --api-url URL --stream-url URL [options] [KEY]
  --url, --api-url, --stream-url    outputs Url, ApiUrl and StreamUrlmcp; for CDN=false use --no-cdn and omit --url
  KEY                               an unrestricted key of an admin. Default: environment variable KEY
  --stack NAME                      also reads metrics, with the AWS CLI and its credentials; without it those are skipped
  --json                            prints the results as JSON
  --only N,N                        runs only these items; --list prints them
  --minutes N                       time without heartbeats in minutes. Default: 5
  --patience N                      timeout of the first result in seconds. Default: 60
  --ipv6-host, --smtp-host, --tls-host HOST[:PORT]    probed hosts. Default: public hosts
After a day, compare the bill with npm run test:nightly -- cost (first activate the tag Application as a cost allocation
tag):
  aws ce get-cost-and-usage --time-period Start=<day>,End=<next day> --granularity DAILY --metrics UnblendedCost \\
    --filter '{"Tags":{"Key":"Application","Values":["<STACK_NAME>"]}}' --group-by Type=DIMENSION,Key=SERVICE
Exit codes: 0 all values are within their thresholds, 1 a value is not, or an item failed to run, 2 invalid input.
`;

class UsageError extends Error {}

const say = (line: string) => process.stdout.write(`${line}\n`);

const OPTIONS = {
  url: { type: 'string' },
  'api-url': { type: 'string' },
  'stream-url': { type: 'string' },
  'no-cdn': { type: 'boolean', default: false },
  stack: { type: 'string' },
  only: { type: 'string' },
  list: { type: 'boolean', default: false },
  json: { type: 'boolean', default: false },
  minutes: { type: 'string', default: '5' },
  patience: { type: 'string', default: '60' },
  'ipv6-host': { type: 'string', default: 'ipv6.google.com' },
  'smtp-host': { type: 'string', default: 'gmail-smtp-in.l.google.com' },
  'tls-host': { type: 'string', default: 'www.google.com:443' },
  help: { type: 'boolean', short: 'h', default: false },
} as const;

function parse(args: string[]) {
  try {
    return parseArgs({ args, allowPositionals: true, options: OPTIONS });
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

type Values = ReturnType<typeof parse>['values'];

function given(values: Values, key: string | undefined): Given {
  const cdn = !values['no-cdn'];
  const named = { Url: values.url, ApiUrl: values['api-url'], StreamUrlmcp: values['stream-url'] };
  const addresses = Object.entries(named).flatMap(([name, url]) =>
    url === undefined ? [] : [{ name, url: addressOf(url, name) }],
  );
  if (!key) throw new UsageError('Give a key after the options or as the environment variable KEY.');
  if (cdn && values.url === undefined) throw new UsageError('Give --url, or --no-cdn for a stack with CDN=false.');
  if (!cdn && (named.ApiUrl === undefined || named.StreamUrlmcp === undefined)) {
    throw new UsageError('With --no-cdn give --api-url and --stream-url.');
  }
  const [host = '', port = '443'] = values['tls-host'].split(':');
  return {
    addresses: cdn ? addresses : addresses.filter(({ name }) => name !== 'Url'),
    cdn,
    key,
    hosts: { ipv6: values['ipv6-host'], smtp: values['smtp-host'], tls: { host, port: whole(port, '--tls-host') } },
    minutes: whole(values.minutes, '--minutes'),
    patience: whole(values.patience, '--patience'),
  };
}

function addressOf(text: string, what: string): string {
  if (/^https?:\/\//.test(text) && URL.canParse(text)) return text.replace(/\/+$/, '');
  throw new UsageError(`${what} must be an http or https URL, not "${text}".`);
}

function whole(text: string, what: string): number {
  if (/^\d{1,5}$/.test(text)) return Number(text);
  throw new UsageError(`${what} takes a whole number, not "${text}".`);
}

function chosen(only: string | undefined) {
  const all = ITEMS.map((item, i) => ({ item, number: i + 1 }));
  if (only === undefined) return all;
  const numbers = only.split(',').map((text) => whole(text, '--only'));
  const unknown = numbers.find((number) => !ITEMS[number - 1]);
  if (unknown !== undefined) throw new UsageError(`--only: item ${unknown} does not exist; --list prints all items.`);
  return all.filter(({ number }) => numbers.includes(number));
}

async function main(args: string[], env: NodeJS.ProcessEnv): Promise<number> {
  const { values, positionals } = parse(args);
  if (values.help) say(USAGE);
  if (values.list) for (const [i, { name, about }] of ITEMS.entries()) say(`${i + 1}. ${name}\n   ${about}`);
  if (values.help || values.list) return 0;
  const items = chosen(values.only);
  const fixtures = fixturesOf(given(values, positionals[0] ?? env.KEY));
  const results: ItemResult[] = [];
  try {
    await createFixtures(fixtures);
    const stack = values.stack === undefined ? undefined : await readStack(values.stack);
    for (const { item, number } of items) {
      const result = await resultOf(item, number, fixtures, stack);
      results.push(result);
      if (!values.json) show(result);
    }
  } finally {
    await deleteFixtures(fixtures);
  }
  const missed = results.filter((one) => one.status === 'missed' || one.status === 'not run').length;
  if (values.json) say(JSON.stringify({ passed: missed === 0, items: results }, null, 2));
  else say(`\n${results.length - missed} passed or skipped, ${missed} failed`);
  return missed > 0 ? 1 : 0;
}

type ItemResult = {
  number: number;
  name: string;
  status: 'passed' | 'missed' | 'not run' | 'skipped';
  /** Reason of `not run` and `skipped`. */
  reason?: string;
  measurements: Measurement[];
};

async function resultOf(
  { name, run, reads_stack }: (typeof ITEMS)[number],
  number: number,
  fixtures: Parameters<typeof run>[0],
  stack: Stack | undefined,
): Promise<ItemResult> {
  if (reads_stack && !stack) return { number, name, status: 'skipped', reason: 'needs --stack', measurements: [] };
  try {
    const measurements = await run(fixtures, stack);
    const status = measurements.every(({ passed }) => passed) ? 'passed' : 'missed';
    return { number, name, status, measurements };
  } catch (error) {
    if (!(error instanceof StepError)) throw error;
    return { number, name, status: 'not run', reason: error.message, measurements: [] };
  }
}

function show({ number, name, status, reason, measurements }: ItemResult): void {
  say(`\n${number}. ${name}: ${status}${reason === undefined ? '' : `: ${reason}`}`);
  for (const { what, value, unit = '', wanted, passed } of measurements)
    say(`   ${passed ? 'ok    ' : 'MISSED'} ${what}: ${`${value} ${unit}`.trim()} (${wanted})`);
}

main(process.argv.slice(2), process.env).then(
  (code) => {
    process.exitCode = code;
  },
  (error: unknown) => {
    const isInput = error instanceof UsageError;
    if (!isInput && !(error instanceof StepError)) throw error;
    process.stderr.write(isInput ? `${error.message}\n\n${USAGE}` : `${error.message}\n`);
    process.exitCode = isInput ? 2 : 1;
  },
);
