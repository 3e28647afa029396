import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import type { OpenApi } from '#infra/docs/openapi.ts';
import { BROWSERS, compress } from '#lib/page/build.ts';
import { DOCS_MISSING, type DocsFiles } from '#lib/platform/assets.ts';
import { ADDRESSES, CONTENTS, FOLDERS } from './contents.ts';
import { escapeHtml, type Rendered, renderMarkdown } from './markdown.ts';
import { referencePages } from './reference.ts';

const ROOT = join(import.meta.dirname, '../../..');
const START = '/docs';
const REFERENCE = '/docs/reference/';

type Page = Rendered & { address: string };
export type IndexEntry = [address: string, title: string, heading: string, text: string];

/** Returns the files of `/docs` by path: the pages of CONTENTS and the API reference. Throws if a link is broken. */
export async function buildDocs(document: OpenApi): Promise<DocsFiles> {
  const pages = [...guides(), ...references(document)];
  assertLinks(pages);
  const index: IndexEntry[] = pages.flatMap(({ address, title, sections }) =>
    sections.map(
      ({ heading, text }): IndexEntry => [
        heading.depth === 1 ? address : `${address}#${heading.anchor}`,
        title,
        heading.text,
        text.replaceAll(/\s+/g, ' ').trim(),
      ],
    ),
  );
  const assets = [
    namedByContent('docs.css', bundled('console/docs/docs.css')),
    namedByContent('search.js', bundled('console/docs/search.ts')),
    namedByContent('search.json', Buffer.from(JSON.stringify(index))),
  ] as const;
  const [style, script, search] = assets.map(({ path }) => path) as [string, string, string];
  const layout = { style, script, search, nav: navOf(pages) };
  const files = [
    ...[startPage(pages), MISSING, ...pages].map((page) => ({
      path: page.address,
      name: 'page.html',
      content: Buffer.from(layoutOf(page, layout)),
    })),
    ...assets,
  ];
  return Object.fromEntries(
    await Promise.all(
      files.map(async ({ path, name, content }) => [
        path,
        { ...(await compress(name, content)), etag: `W/"${digestOf(content)}"`, isAsset: path.startsWith(ASSETS) },
      ]),
    ),
  );
}

const ASSETS = '/docs/assets/';

const digestOf = (content: Uint8Array): string => createHash('sha256').update(content).digest('base64url').slice(0, 22);

function namedByContent(name: string, content: Uint8Array) {
  const [stem, extension] = name.split('.');
  return { path: `${ASSETS}${stem}-${digestOf(content).slice(0, 8)}.${extension}`, name, content };
}

function bundled(file: string): Uint8Array {
  const { outputFiles } = buildSync({
    entryPoints: [join(ROOT, file)],
    bundle: true,
    minify: true,
    format: 'iife',
    target: BROWSERS,
    write: false,
    charset: 'utf8',
  });
  return outputFiles[0]!.contents;
}

const guides = (): Page[] =>
  [...ADDRESSES].map(([file, address]) => ({
    address,
    ...renderMarkdown(readFileSync(join(ROOT, file), 'utf8'), file),
  }));

const references = (document: OpenApi): Page[] =>
  [...referencePages(document)].map(([tag, markdown]) => ({
    address: REFERENCE + tag,
    ...renderMarkdown(markdown, `docs/reference/${tag}.md`),
  }));

function assertLinks(pages: readonly Page[]): void {
  const known = new Map(pages.map(({ address, headings }) => [address, new Set(headings.map(({ anchor }) => anchor))]));
  const broken = pages.flatMap(({ address, html }) =>
    [...html.matchAll(/<a href="((?:\/docs\/|#)[^"]*)"/g)].flatMap(([, href = '']) => {
      const [path, anchor] = href.split('#');
      const anchors = known.get(path || address);
      return anchors && (anchor === undefined || anchors.has(anchor)) ? [] : [`${address} links to ${href}`];
    }),
  );
  if (broken.length > 0) throw new Error(`Broken links of the docs:\n${broken.join('\n')}`);
}

function navOf(pages: readonly Page[]): { title: string; links: Pick<Page, 'address' | 'title'>[] }[] {
  const below = (prefix: string) => pages.filter(({ address }) => address.startsWith(prefix));
  return [
    ...FOLDERS.map((folder) => ({ title: CONTENTS[folder].title, links: below(`/docs/${folder}/`) })),
    { title: 'API reference', links: below(REFERENCE) },
  ];
}

type Layout = { style: string; script: string; search: string; nav: ReturnType<typeof navOf> };

const MISSING = {
  address: DOCS_MISSING,
  title: 'Page not found',
  headings: [],
  html: `<h1>Page not found</h1>\n<p><a href="${START}">All pages</a></p>`,
};

function startPage(pages: readonly Page[]): Pick<Page, 'address' | 'title' | 'html' | 'headings'> {
  const groups = navOf(pages).map(
    ({ title, links }) => `<h2>${title}</h2>\n<ul class="contents">${links.map(listItem).join('')}</ul>`,
  );
  return { address: START, title: 'Documentation', headings: [], html: `<h1>Documentation</h1>\n${groups.join('\n')}` };
}

const listItem = ({ address, title }: Pick<Page, 'address' | 'title'>): string =>
  `<li><a href="${address}">${escapeHtml(title)}</a></li>`;

function layoutOf(page: Pick<Page, 'address' | 'title' | 'html' | 'headings'>, layout: Layout): string {
  const groups = layout.nav.map(({ title, links }) => {
    const isOpen = links.some(({ address }) => address === page.address);
    const items = links.map(({ address, title: name }) => {
      const current = address === page.address ? ' aria-current="page"' : '';
      return `<li><a href="${address}"${current}>${escapeHtml(name)}</a></li>`;
    });
    return `<details${isOpen ? ' open' : ''}><summary>${title}</summary><ul>${items.join('')}</ul></details>`;
  });
  const onPage = page.headings.filter(({ depth }) => depth === 2);
  const toc = onPage.map(({ anchor, text }) => `<li><a href="#${anchor}">${escapeHtml(text)}</a></li>`);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(page.title)} · Fleetwatch</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${layout.style}">
<script src="${layout.script}" defer></script>
</head>
<body data-search="${layout.search}">
<a class="skip" href="#content">Skip to content</a>
<header>
<a class="home" href="${START}">Fleetwatch <span>docs</span></a>
<search><input id="search" type="search" placeholder="Search the docs" aria-label="Search the docs" autocomplete="off" hidden><ol id="results" hidden></ol></search>
<a href="/">Console</a>
</header>
<nav class="pages" aria-label="Pages">${groups.join('\n')}</nav>
<main id="content" tabindex="-1">${page.html}</main>
${toc.length > 1 ? `<aside class="toc"><nav aria-label="On this page"><p>On this page</p><ul>${toc.join('')}</ul></nav></aside>` : ''}
</body>
</html>
`;
}
