import { readdirSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { beforeAll, expect, it } from 'vitest';
import { DOCS } from '#console/rules/docs.ts';
import { generate } from '#infra/docs/generate.ts';
import { buildDocs } from '#infra/docs/site/build-site.ts';
import { CONTENTS, FOLDERS } from '#infra/docs/site/contents.ts';
import { renderMarkdown } from '#infra/docs/site/markdown.ts';
import type { DocsFiles } from '#lib/platform/assets.ts';

let files: DocsFiles;
// buildDocs throws if a link of a page is broken.
beforeAll(async () => {
  files = await buildDocs(generate().openApi);
});
const textOf = (path: string) => gunzipSync(Buffer.from(files[path]!.gzip, 'base64')).toString();

it.each(FOLDERS)('has every page of docs/%s in its contents', (folder) => {
  const found = readdirSync(`docs/${folder}`)
    .filter((file) => file.endsWith('.md'))
    .map((file) => file.replace('.md', ''));
  expect([...CONTENTS[folder].pages].toSorted()).toEqual(found.toSorted());
});

it.each(Object.values(DOCS))('has the section that the console links to: %s', (address) => {
  const [path, anchor] = address.split('#');
  expect(Object.keys(files)).toContain(path);
  if (anchor) expect(textOf(path!)).toContain(` id="${anchor}"`);
});

it('describes each operation of the API in the reference', () => {
  const text = Object.keys(files)
    .filter((path) => path.startsWith('/docs/reference/'))
    .map(textOf)
    .join('');
  for (const path of Object.keys(generate().openApi.paths)) expect(text).toContain(` ${path}<`);
});

it('loads nothing from other hosts', () => {
  for (const path of Object.keys(files).filter((name) => !name.includes('/assets/'))) {
    expect(textOf(path)).not.toMatch(/(?:src|srcset)="(?!\/docs\/)|<link[^>]*href="(?!\/docs\/|data:,)/);
  }
});

it('escapes HTML, and renders links to scripts and to unpublished files as text', () => {
  const text = '# A\n\n`<b>` <img src=x onerror=y> [x](javascript:y) [keys](glossary.md) [alerts](alerts.md#limits)';
  const { html } = renderMarkdown(text, 'docs/use/alerts.md');
  expect(html).toContain('<p><code>&lt;b&gt;</code>  x keys <a href="/docs/use/alerts#limits">alerts</a></p>');
});
