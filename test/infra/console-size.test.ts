import { gunzipSync } from 'node:zlib';
import { beforeAll, expect, it } from 'vitest';
import { generate } from '#infra/docs/generate.ts';
import { buildConsole } from '#lib/page/build.ts';
import type { ConsoleFiles, PackedFile } from '#lib/platform/assets.ts';

const KB = 1024;

let files: ConsoleFiles;
let html: string;
/** Files that the page requests first. */
let first: string[];
beforeAll(async () => {
  files = await buildConsole(generate().console);
  html = textOf(files.page);
  first = [...html.matchAll(/"\/assets\/([^"]+)"/g)].map(([, name]) => name!);
});

const textOf = ({ gzip }: PackedFile) => gunzipSync(Buffer.from(gzip, 'base64')).toString();
const gzipped = (names: Iterable<string>) =>
  [...names].reduce((bytes, name) => bytes + Buffer.from(files.assets[name]!.gzip, 'base64').length, 0);

/** Returns the files that load with a lazy file, except those loaded before. */
function loadedWith(name: string, seen = new Set(first)): string[] {
  if (seen.has(name)) return [];
  seen.add(name);
  const imports = textOf(files.assets[name]!).matchAll(/(?:from|import)"\.\/([\w-]+\.js)"/g);
  return [name, ...[...imports].flatMap(([, one]) => loadedWith(one!, seen))];
}

it('limits the first load to 40 KB, including 8 KB of styles', () => {
  expect(first.filter((name) => name.endsWith('.css'))).toHaveLength(1);
  expect(first.filter((name) => name.endsWith('.js')).length).toBeGreaterThan(0);
  expect(gzipped(first)).toBeLessThanOrEqual(40 * KB);
  expect(gzipped(first.filter((name) => name.endsWith('.css')))).toBeLessThanOrEqual(8 * KB);
});

it('limits a lazy page to 43 KB, including the files that load with it', () => {
  const sizes = Object.keys(files.assets).map((name) => ({ name, bytes: gzipped(loadedWith(name)) }));
  expect(sizes.filter(({ bytes }) => bytes > 43 * KB)).toEqual([]);
});

it('preloads only existing files, and all files that the page script imports', () => {
  expect(first.filter((name) => !(name in files.assets))).toEqual([]);
  const main = first.find((name) => /^main-\w+\.js$/.test(name))!;
  const needed = loadedWith(main, new Set());
  expect(needed.filter((name) => !first.includes(name))).toEqual([]);
});

it('builds the same file names from the same sources', async () => {
  expect(await buildConsole(generate().console)).toEqual(files);
});
