import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { bundle } from '#infra/aws/bundle/bundle.ts';
import { generate } from '#infra/docs/generate.ts';
import { type FunctionName, functions } from '#infra/topology.ts';
import { run } from '#test/deploy/run.ts';
import { isNightly } from '#test/support/nightly.ts';

const KB = 1024;
/** Maximum size of a bundle, including lazy files such as the libraries for sign-in and for expressions. */
const MAX_BUNDLE_BYTES = 1000 * KB;
/**
 * Higher limits. `api` has the API description and many lazy files, `console` the docs, `mcp` a lazy file for each
 * tool, and `deliverer` lazy clients of NATS and mail.
 */
const MAX_BUNDLE_BYTES_OF: Partial<Record<FunctionName, number>> = {
  api: 1450 * KB,
  console: 1080 * KB,
  mcp: 1075 * KB,
  deliverer: 1160 * KB,
};
/** Limits of the files loaded at start, lower for functions that run for every push or probe. */
const MAX_START_BYTES_OF: Partial<Record<FunctionName, number>> = { ingest: 450 * KB, prober: 450 * KB };
const MAX_START_BYTES = 550 * KB;

const names = Object.keys(functions) as FunctionName[];
const FILE = join(import.meta.dirname, 'bundle-sizes.json');
/** Sizes in KB: loaded at start, additionally loaded with each lazy file, and total. */
type Sizes = { at_start: number; late: Record<string, number>; all: number };
const known = (): Record<string, Sizes> => JSON.parse(readFileSync(FILE, 'utf8'));
const inKb = (bytes: number): number => Math.round(bytes / KB);
const sizesOf = (name: FunctionName): Sizes => {
  const { bytes, lazy_bytes, all_bytes } = bundle(name);
  const late = Object.entries(lazy_bytes).map(([file, bytes]) => [file, inKb(bytes)] as const);
  const sorted = late.toSorted(([a], [b]) => (a < b ? -1 : 1));
  return { at_start: inKb(bytes), late: Object.fromEntries(sorted), all: inKb(all_bytes) };
};
/** Whether a size is within 5 % of the listed one, or within 3 KB if it is small. */
const isAsListed = (kb: number, listed: number): boolean => Math.abs(kb - listed) <= Math.max(3, listed * 0.05);

if (process.env.WRITE_SIZES) {
  const sizes = Object.fromEntries(names.map((name) => [name, sizesOf(name)]));
  writeFileSync(FILE, `${JSON.stringify(sizes, null, 2)}\n`);
}

describe('bundle of a function', () => {
  it.each(names)('has at most the allowed size for %s, at its start and with lazy files', (name) => {
    const { dir, bytes, all_bytes } = bundle(name);
    const onDisk = readdirSync(dir).reduce((bytes, file) => bytes + statSync(join(dir, file)).size, 0);
    expect(onDisk).toBe(all_bytes);
    expect(bytes).toBeLessThanOrEqual(MAX_START_BYTES_OF[name] ?? MAX_START_BYTES);
    expect(all_bytes).toBeLessThanOrEqual(MAX_BUNDLE_BYTES_OF[name] ?? MAX_BUNDLE_BYTES);
  });

  // WRITE_SIZES=1 npx vitest run --config test/deploy/vitest.config.ts --project template rewrites the list.
  it('has the listed size, including lazy files', () => {
    expect(Object.keys(known())).toEqual(names);
    for (const name of names) {
      const [now, listed] = [sizesOf(name), known()[name]!];
      expect(Object.keys(now.late), name).toEqual(Object.keys(listed.late));
      const sizes = Object.entries({ ...now.late, at_start: now.at_start, all: now.all });
      const then: Record<string, number> = { ...listed.late, at_start: listed.at_start, all: listed.all };
      expect(
        sizes.filter(([part, kb]) => !isAsListed(kb, then[part]!)),
        name,
      ).toEqual([]);
    }
  });

  it.each(names)('contains no code of the service on one machine for %s', (name) => {
    const { inputs, dir } = bundle(name);
    expect(inputs.filter((file) => file.includes('infra/local') || file.includes('sqlite'))).toEqual([]);
    expect(readFileSync(join(dir, 'index.mjs'), 'utf8')).not.toContain('node:sqlite');
  });
});

it('bundles the console files in every encoding, without the AWS SDK and build tools', async () => {
  const { dir, inputs } = bundle('console');
  expect(inputs.filter((file) => /aws-sdk|smithy|esbuild|lib\/page\/build/.test(file))).toEqual([]);
  const { handler } = await import(join(dir, 'index.mjs'));
  const ask = async (path: string, accepted: string) => {
    const event = {
      rawPath: path,
      rawQueryString: '',
      headers: { host: 'localhost', accept: 'text/html', 'accept-encoding': accepted },
      isBase64Encoded: false,
      requestContext: { requestId: 'r1', http: { method: 'GET', path } },
    };
    const context = { awsRequestId: 'l1', getRemainingTimeInMillis: () => 1000 };
    const { statusCode, headers, body, isBase64Encoded } = await handler(event, context);
    expect(statusCode).toBe(200);
    return { form: headers['content-encoding'], bytes: Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8') };
  };
  const page = await ask('/', 'identity');
  const script = /\/assets\/main-\w+\.js/.exec(page.bytes.toString())?.[0] ?? 'no script';
  const [plain, br, gzip] = await Promise.all(['identity', 'br', 'gzip'].map((form) => ask(script, form)));
  expect([plain, br, gzip].map((answer) => answer?.form)).toEqual([undefined, 'br', 'gzip']);
  expect(brotliDecompressSync(br!.bytes)).toEqual(plain!.bytes);
  expect(gunzipSync(gzip!.bytes)).toEqual(plain!.bytes);
});

it('bundles the API description, and returns it unchanged from its compressed form', async () => {
  const { dir } = bundle('api');
  const file = readdirSync(dir).find((name) => name.startsWith('openapi-document'))!;
  const { default: document } = await import(join(dir, file));
  expect(document).toBe(JSON.stringify(generate().openApi));
});

it('bundles the same files in every process, so that a diff after a deployment is empty', async () => {
  const code = `
    const { bundle } = await import('#infra/aws/bundle/bundle.ts');
    const { readdirSync, readFileSync } = await import('node:fs');
    const files = (dir) => readdirSync(dir).map((file) => [file, readFileSync(dir + '/' + file, 'base64')]);
    const all = ['api', 'console', 'prober'].map((name) => files(bundle(name).dir));
    console.log(process.getBuiltinModule('node:crypto').hash('sha256', JSON.stringify(all)));`;
  const args = ['--disable-warning=ExperimentalWarning', '--input-type=module', '--eval', code];
  const runs = [1, 2].map(() => run(process.execPath, args, { limitSeconds: 90 }));
  const [first, second] = await Promise.all(runs);
  expect(first!.out).toMatch(/^[0-9a-f]{64}\n$/);
  expect(second!.out).toBe(first!.out);
});

const ENV = { ...process.env, TABLE_NAME: 'fleet', AWS_REGION: 'eu-central-1', BUS_NAME: 'bus' };
const RUNS = isNightly ? 3 : 1;

/**
 * Measures the time to load a file in a process, in ms: the minimum of RUNS runs, because other processes only add
 * time.
 */
async function loadTime(file: string): Promise<number> {
  const runtime = join(import.meta.dirname, '../streaming-runtime.cjs');
  const code = `const t=performance.now();await import(${JSON.stringify(file)});console.log(performance.now()-t);process.exit()`;
  const times: number[] = [];
  for (let i = 0; i < RUNS; i++) {
    const args = ['--require', runtime, '--input-type=module', '--eval', code];
    const { code: status, out } = await run(process.execPath, args, { limitSeconds: 20, env: ENV });
    expect({ status, out: Number.isFinite(Number(out)) ? '' : out }).toEqual({ status: 0, out: '' });
    times.push(Number(out));
  }
  return Math.min(...times);
}

it('loads every function in a separate process and prints its time relative to an empty handler', async () => {
  const empty = join(import.meta.dirname, 'empty-handler.mjs');
  const base = await loadTime(empty);
  const lines: string[] = [];
  for (const name of names) {
    const time = await loadTime(join(bundle(name).dir, 'index.mjs'));
    lines.push(`${name.padEnd(16)} ${time.toFixed(0).padStart(5)} ms   ${(time / base).toFixed(0).padStart(4)} x`);
  }
  process.stdout.write(
    `\nLoading a function (an empty handler: ${base.toFixed(1)} ms; best of ${RUNS})\n${lines.join('\n')}\n`,
  );
});
