import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { generate } from '#infra/docs/generate.ts';
import { bareEnv } from '#test/support/command.ts';
import { startRealService } from '#test/support/real-service.ts';

const ROOT = join(import.meta.dirname, '../../..');
const BROWSER = { headers: { accept: 'text/html' } };

/** A copy of the checkout without cached files. */
let code: string;
beforeAll(() => {
  code = mkdtempSync(join(tmpdir(), 'fleetwatch-code-'));
  const files = ['package.json', 'package-lock.json', 'tsconfig.json'];
  for (const part of ['lib', 'functions', 'infra', 'console', 'docs', ...files]) {
    cpSync(join(ROOT, part), join(code, part), { recursive: true });
  }
  symlinkSync(join(ROOT, 'node_modules'), join(code, 'node_modules'));
});
afterAll(() => rmSync(code, { recursive: true }));

const env = () => ({ NODE_COMPILE_CACHE: join(code, '.cache') });
const folder = () => join(code, '.cache/generated');
const make = (name: string) => {
  const args = ['--disable-warning=ExperimentalWarning', join(code, 'infra/local/make-asset.ts'), name];
  const options = { env: bareEnv(env()), encoding: 'utf8', maxBuffer: 1e8 } as const;
  const { status, stdout, stderr } = spawnSync(process.execPath, args, options);
  return { status, stdout, stderr };
};

it('generates an asset once, caches it by the digest of its inputs, and regenerates it when an input changes', () => {
  const document = JSON.stringify(generate().openApi);
  expect(make('openapi')).toEqual({ status: 0, stdout: document, stderr: '' });
  const [file = '', ...others] = readdirSync(folder());
  expect(others).toEqual([]);
  expect(readFileSync(join(folder(), file), 'utf8')).toBe(document);

  writeFileSync(join(folder(), file), 'the cached text');
  expect(make('openapi')).toEqual({ status: 0, stdout: 'the cached text', stderr: '' });

  appendFileSync(join(code, 'lib/api-routes.ts'), '\n// changed\n');
  expect(make('openapi')).toEqual({ status: 0, stdout: document, stderr: '' });
  expect(readdirSync(folder())).toHaveLength(1);
  expect(readdirSync(folder())).not.toContain(file);
});

it('generates both assets without a writable folder, warns once, and retries a failed one', async () => {
  rmSync(join(code, '.cache'), { recursive: true });
  // Not even root can create a folder below a file.
  writeFileSync(join(code, '.cache'), '');
  const source = join(code, 'console/main.tsx');
  const text = readFileSync(source, 'utf8');
  writeFileSync(source, 'const broken = ;');
  await using service = await startRealService(env(), code);
  expect((await fetch(service.url, BROWSER)).status).toBe(500);
  expect(service.err()).toContain(basename(source));

  writeFileSync(source, text);
  const page = await fetch(service.url, BROWSER);
  expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('<!doctype html>')]);
  const document = await fetch(`${service.url}/v1/openapi.json`);
  expect(await document.text()).toBe(JSON.stringify(generate().openApi));
  const lines = service.err().split('\n').filter(Boolean);
  expect(lines.map((line) => JSON.parse(line)).filter(({ level }) => level === 'warn')).toMatchObject([
    { message: 'asset generated with a warning', warning: expect.stringContaining('so each start generates it again') },
  ]);
});
