import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { bundle } from '#infra/aws/bundle.ts';
import { type FunctionName, functions } from '#infra/topology.ts';
import { run } from '#test/deploy/run.ts';

const KB = 1024;
const MOST = 550 * KB;
/** The functions that run for every probe and every push. */
const SMALL: Partial<Record<FunctionName, number>> = { ingest: 450 * KB, prober: 450 * KB };

const names = Object.keys(functions) as FunctionName[];
const FILE = join(import.meta.dirname, 'bundle-sizes.json');
const known = (): Record<string, number> => JSON.parse(readFileSync(FILE, 'utf8'));
if (process.env.WRITE_SIZES) {
  const sizes = Object.fromEntries(names.map((name) => [name, Math.round(bundle(name).bytes / KB)]));
  writeFileSync(FILE, `${JSON.stringify(sizes, null, 2)}\n`);
}

describe('what is loaded when a function starts', () => {
  it.each(names)('%s is no larger than it may be', (name) => {
    expect(bundle(name).bytes).toBeLessThanOrEqual(SMALL[name] ?? MOST);
  });

  // WRITE_SIZES=1 npx vitest run --config test/deploy/vitest.config.ts --project template writes the list anew.
  it('is as large as the list says, by 5 %', () => {
    expect(Object.keys(known())).toEqual(names);
    for (const name of names) {
      const kilobytes = bundle(name).bytes / KB;
      expect(Math.abs(kilobytes - known()[name]!) / kilobytes, `${name}: ${Math.round(kilobytes)} KB`).toBeLessThan(
        0.05,
      );
    }
  });

  it.each(names)('%s has nothing of the embedded service in it', (name) => {
    const { inputs, dir } = bundle(name);
    expect(inputs.filter((file) => file.includes('infra/local') || file.includes('sqlite'))).toEqual([]);
    expect(readFileSync(join(dir, 'index.mjs'), 'utf8')).not.toContain('node:sqlite');
  });
});

const ENV = { ...process.env, TABLE_NAME: 'fleet', AWS_REGION: 'eu-central-1', BUS_NAME: 'bus' };
const RUNS = 3;

/** The median of what a process takes to load a file and end, in ms. */
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
  return times.sort((a, b) => a - b)[Math.floor(RUNS / 2)]!;
}

it('loads in a process of its own, every one of them; prints how long by that of an empty handler', async () => {
  const empty = join(import.meta.dirname, 'empty-handler.mjs');
  const base = await loadTime(empty);
  const lines: string[] = [];
  for (const name of names) {
    const time = await loadTime(join(bundle(name).dir, 'index.mjs'));
    lines.push(`${name.padEnd(16)} ${time.toFixed(0).padStart(5)} ms   ${(time / base).toFixed(0).padStart(4)} x`);
  }
  process.stdout.write(`\nLoading a function (an empty handler: ${base.toFixed(1)} ms)\n${lines.join('\n')}\n`);
});
