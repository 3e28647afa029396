import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const root = join(import.meta.dirname, '../..');
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const MAX_PACKED_MB = 1.5;
const MAX_FILES = 1100;
const ALLOWED = /^(console|docs\/(use|operate|api)|functions|infra|lib)\/|^[^/]+$|^docs\/catalog-ops\.json$/;
const UNWANTED =
  /(^|\/)(test|research|screenshots|node_modules|\.cache|\.data|\.demo)\/|\.test\.|^infra\/aws\/(?!aws-cli\.ts)/;

it('packs what the service needs, and no tests, research, caches, or data', () => {
  expect(existsSync(join(root, manifest.bin))).toBe(true);
  const [packed] = JSON.parse(execFileSync('npm', ['pack', '--dry-run', '--json'], { cwd: root, encoding: 'utf8' }));
  const paths: string[] = packed.files.map(({ path }: { path: string }) => path);
  expect(paths).toContain(manifest.bin);
  expect(paths).toContain('docs/operate/install.md');
  expect(paths).toContain('docs/use/prometheus/rules.yml');
  expect(paths).toContain('infra/admin/main.ts');
  expect(paths.filter((path) => UNWANTED.test(path) || !ALLOWED.test(path))).toEqual([]);
  // Imports in infra/docs can be missing: the generator of tables in docs/ runs only in a checkout.
  for (const path of paths.filter((one) => /^(functions|infra|lib)\/(?!docs\/).*\.ts$/.test(one))) {
    const imported = readFileSync(join(root, path), 'utf8').matchAll(/(?:from |import\()'#([^']+)'/g);
    for (const [, file] of imported) expect(paths, path).toContain(file);
  }
  expect(packed.size / 1e6).toBeLessThan(MAX_PACKED_MB);
  expect(paths.length).toBeLessThan(MAX_FILES);
});

it('has a changelog section for its version', () => {
  const changelog = readFileSync(join(root, 'CHANGELOG.md'), 'utf8');
  expect(changelog).toContain(`\n## ${manifest.version}\n`);
});

it('rejects an unknown command', () => {
  expect(() => execFileSync(join(root, 'infra/local/cli.cjs'), ['serve'], { stdio: 'pipe' })).toThrow(
    'Usage: fleetwatch',
  );
});
