import { parseArgs } from 'node:util';
import { StepError } from './call.ts';
import { beginWalk, cleanUp, type Options, STEPS } from './steps.ts';

const USAGE = `Tests a running service: account, entity, check, heartbeat, alert, status page, MCP. Deletes what it creates.
  npm run smoke -- URL [KEY]      KEY is an unrestricted key of an admin. Default: environment variable KEY
  --target URL       target of the check. Default: URL/v1/health. The service must be allowed to reach it
  --receiver URL     URL that the alert is posted to. Default: a heartbeat URL of the service itself
  --stream URL       base URL of MCP streams, if it differs (output StreamUrlmcp, with CDN=false)
  --no-stream        skips the MCP stream
  --patience N       timeout of a probe or an alert in seconds. Default: 60
Exit codes: 0 all steps passed, 1 a step failed, 2 invalid input.
`;

class UsageError extends Error {}

const say = (line: string) => process.stdout.write(`${line}\n`);

function read(args: string[], env: NodeJS.ProcessEnv): Options | undefined {
  const { values, positionals } = parse(args);
  if (values.help) return undefined;
  const [address, key = env.KEY, ...more] = positionals;
  if (address === undefined || !key || more.length > 0) throw new UsageError('Give the URL of the service and a key.');
  const url = addressOf(address, 'URL');
  const patience = Number(values.patience);
  if (!/^\d{1,4}$/.test(values.patience) || patience < 1)
    throw new UsageError('--patience must be a number of seconds from 1 to 9999.');
  return {
    url,
    key,
    patience,
    target: values.target === undefined ? `${url}/v1/health` : addressOf(values.target, '--target'),
    receiver: values.receiver === undefined ? undefined : addressOf(values.receiver, '--receiver'),
    stream: values['no-stream'] ? undefined : addressOf(values.stream ?? url, '--stream'),
  };
}

function parse(args: string[]) {
  try {
    return parseArgs({
      args,
      allowPositionals: true,
      options: {
        target: { type: 'string' },
        receiver: { type: 'string' },
        stream: { type: 'string' },
        'no-stream': { type: 'boolean', default: false },
        patience: { type: 'string', default: '60' },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

function addressOf(text: string, what: string): string {
  if (/^https?:\/\//.test(text) && URL.canParse(text)) return text.replace(/\/+$/, '');
  throw new UsageError(`${what} must be an http or https URL, not "${text}".`);
}

async function runStep(name: string, work: () => Promise<string>): Promise<boolean> {
  const began = performance.now();
  const took = () => `(${((performance.now() - began) / 1000).toFixed(1)} s)`;
  try {
    const result = await work();
    say(`ok    ${name.padEnd(14)} ${result} ${took()}`);
    return true;
  } catch (error) {
    if (!(error instanceof StepError)) throw error;
    say(`FAIL  ${name.padEnd(14)} ${error.message} ${took()}`);
    return false;
  }
}

async function main(options: Options): Promise<number> {
  const walk = beginWalk(options);
  const results: boolean[] = [];
  try {
    for (const { name, run } of STEPS) results.push(await runStep(name, () => run(walk)));
  } finally {
    results.push(await runStep('clean-up', () => cleanUp(walk)));
  }
  const failed = results.filter((one) => !one).length;
  say(`${results.length - failed} passed, ${failed} failed`);
  return failed > 0 ? 1 : 0;
}

try {
  const options = read(process.argv.slice(2), process.env);
  if (options) process.exitCode = await main(options);
  else say(USAGE);
} catch (error) {
  if (!(error instanceof UsageError)) throw error;
  process.stderr.write(`${error.message}\n\n${USAGE}`);
  process.exitCode = 2;
}
