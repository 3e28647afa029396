import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import type { BrowserContextOptions, Page, Request } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { PUBLIC_HEADERS } from '#lib/public/headers.ts';
import { historyHtml, statusHtml } from '#lib/public/pages/html.ts';
import { LANGUAGES } from '#lib/public/pages/status-page.ts';
import { COMPONENT_STATES, type PublishedView } from '#lib/public/pages/view.ts';
import { axeViolations } from '#test/support/axe.ts';
import { newTenant } from '#test/support/client.ts';
import { got } from '#test/support/fleet.ts';
import { statusIncident, statusMaintenance, statusView } from '#test/support/status-view.ts';
import { browserAndService, inBrowser } from './browser-and-service.ts';
import { binary } from './chromium.ts';
import { personAt } from './places.ts';

const BASE = '/status/acme';
const PATHS = { base: BASE, json: `${BASE}.json`, logo: undefined };
/** Files of the server, by path; each test replaces them. The server sends them with the headers of the service. */
const files = new Map<string, string>();
let server: Server;
let url: string;

beforeAll(async () => {
  server = createServer((request, response) => {
    const type = request.url!.endsWith('.json') ? 'application/json' : 'text/html; charset=utf-8';
    const file = files.get(request.url!);
    response.writeHead(file === undefined ? 404 : 200, { 'content-type': type, ...PUBLIC_HEADERS }).end(file ?? '');
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => void server.close());

const put = (published: PublishedView) => {
  files.set(BASE, statusHtml(published, PATHS));
  files.set(`${BASE}/history`, historyHtml(published, PATHS));
  files.set(`${BASE}.json`, JSON.stringify(published.view));
};
/** Returns the contrast of two colors of the form rgb(0, 0, 0), as defined by WCAG. */
function contrast(...colors: [string, string]): number {
  const [dark, light] = colors
    .map((color) => {
      const [r, g, b] = color.match(/\d+/g)!.map((part) => {
        const value = Number(part) / 255;
        return value <= 0.040_45 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
      });
      return 0.2126 * r! + 0.7152 * g! + 0.0722 * b!;
    })
    .toSorted((a, b) => a - b);
  return (light! + 0.05) / (dark! + 0.05);
}

const everything = (at: number, more: Parameters<typeof statusView>[0] = {}) =>
  statusView({ at, incidents: [statusIncident('inc_1', at)], maintenance: [statusMaintenance(at)], ...more });

describe.runIf(binary)('a script in a status page, in a browser that is signed in to the console', () => {
  const world = browserAndService();
  const PROOF = `fetch('/v1/me', { credentials: 'include' }).then((one) => one.status, () => 'failed').then((me) => {
    let seen;
    try { seen = [document.cookie, localStorage.length].join() } catch ({ name }) { seen = name }
    document.title = 'Proof: ' + seen + ', ' + me;
  });`;
  /**
   * Title, remaining protection, document title, and cookies of the script's request in each case. The last case
   * shows that the attack works without protection.
   */
  const POLICIES = [
    ['is blocked by the policy of the page', 'all', 'Acme status', []],
    [
      'cannot access the session in the sandbox, even without the policy of the page',
      'sandbox',
      'Proof: SecurityError, failed',
      [undefined],
    ],
    ['can access the session if both are missing', 'none', 'Proof: canary=1,\\d, 200', ['cookie']],
  ] as const;

  it.each(POLICIES)('%s', async (_, protection, title, cookies) => {
    const client = await newTenant();
    const slug = `sandbox-${protection}-${Date.now()}`;
    got(await client.post('/v1/status-pages', { slug, title: 'Acme status', visibility: 'public' }), 201);
    const { page, context, complaints } = await personAt(world.browser, world.url, client.key);
    await context.addCookies([{ name: 'canary', value: '1', url: world.url }]);
    expect(await page.evaluate(`fetch('/v1/me').then(({ status }) => status)`)).toBe(200);
    await page.route(`**/status/${slug}`, async (route) => {
      const response = await route.fetch();
      const { 'content-security-policy': sandbox, ...others } = response.headers();
      const html = (await response.text()).replace('</body>', `<script>${PROOF}</script></body>`);
      await route.fulfill({
        headers: protection === 'none' ? others : { ...others, 'content-security-policy': sandbox! },
        body: protection === 'all' ? html : html.replace(/<meta http-equiv[^>]*>/, ''),
      });
    });
    const sent: Request[] = [];
    page.on('request', (request) => request.url().endsWith('/v1/me') && sent.push(request));
    await page.goto(`${world.url}/status/${slug}`, { waitUntil: 'load' });
    await page.waitForFunction(`/^${title}$/.test(document.title)`);
    const headers = await Promise.all(sent.map((request) => request.allHeaders()));
    expect(headers.map(({ cookie }) => cookie && 'cookie')).toEqual(cookies);
    if (protection === 'all') expect(complaints).toEqual([expect.stringMatching(/violates.*script-src/)]);
  });
});

describe.runIf(binary)('a status page in a browser', () => {
  const world = inBrowser();
  const faults: string[] = [];

  async function open(options: BrowserContextOptions = {}, path = BASE): Promise<Page> {
    const context = await world.browser.newContext(options);
    const page = await context.newPage();
    page.on('console', (message) => faults.push(message.text()));
    page.on('pageerror', (error) => faults.push(String(error)));
    await page.goto(url + path);
    return page;
  }
  afterEach(async () => {
    for (const context of world.browser.contexts()) await context.close();
    // The browser reported no violation of the policy and no error.
    expect(faults.splice(0)).toEqual([]);
  });

  it.each(LANGUAGES)('is accessible in light and dark, with every state, in %s', async (language) => {
    put(everything(Date.now(), { language }));
    for (const path of [BASE, `${BASE}/history`]) expect(await axeViolations(await open({}, path))).toEqual([]);
  });

  it.each([
    ['a narrow phone', 320, 800, '100%'],
    ['a zoom of 200 %', 640, 400, '100%'],
    ['text of twice the size', 640, 400, '200%'],
  ])('fits the window, also with long words: %s', async (_, width, height, size) => {
    const published = everything(Date.now());
    published.view.page.title = 'A'.repeat(120);
    published.view.groups[0]!.components[0]!.name = 'Komponentenüberwachungszentrale'.repeat(3);
    put(published);
    for (const path of [BASE, `${BASE}/history`]) {
      const page = await open({ viewport: { width, height }, deviceScaleFactor: 2 }, path);
      const sizes = (await page.evaluate(`
        document.documentElement.style.fontSize = '${size}';
        for (const one of document.querySelectorAll('details')) one.open = true;
        [...document.querySelectorAll('body *')].map((one) => parseFloat(getComputedStyle(one).fontSize))`)) as number[];
      expect(Math.min(...sizes)).toBeGreaterThanOrEqual(size === '200%' ? 26 : 13);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
      const outside = await page.evaluate(`[...document.querySelectorAll('body *')].filter((one) => {
        const { left, right } = one.getBoundingClientRect();
        const { clientWidth, clientHeight, scrollWidth, scrollHeight } = one;
        const isCut = getComputedStyle(one).overflow !== 'visible' && one.checkVisibility() && !one.closest('svg') &&
          (scrollWidth > clientWidth || scrollHeight > clientHeight);
        return left < 0 || right > ${width} || isCut;
      }).map((one) => one.outerHTML.slice(0, 80))`);
      expect(outside).toEqual([]);
    }
  });

  it('is complete without script, with an alternative text for each bar chart', async () => {
    put(everything(Date.now()));
    const page = await open({ javaScriptEnabled: false });
    for (const state of ['Operational', 'Degraded', 'Outage', 'Maintenance', 'Unknown'])
      expect(await page.locator('.state', { hasText: state }).count()).toBeGreaterThan(0);
    const charts = await page.getByRole('img').all();
    expect(charts).toHaveLength(COMPONENT_STATES.length);
    expect(await charts[0]!.getAttribute('aria-label')).toMatch(
      /^Component 0, last 90 days: \d+ Operational, .*Outage$/,
    );
    expect(await page.locator('#old').isVisible()).toBe(false);
    await page.locator('summary').first().click();
    expect(await page.getByRole('cell', { name: 'Outage, down for 43 minutes' }).first().isVisible()).toBe(true);
  });

  it('can be used with the keyboard, and its links to other sites are nofollow and noopener', async () => {
    put(everything(Date.now()));
    const page = await open();
    const offered = (await page.evaluate(
      `[...document.querySelectorAll('a, summary')].map((one) => one.textContent)`,
    )) as string[];
    for (const name of ['Acme status', 'Support', 'Incident history']) expect(offered).toContain(name);
    expect(offered.filter((name) => name.startsWith('Days with'))).toHaveLength(COMPONENT_STATES.length);
    for (const name of offered) {
      await page.keyboard.press('Tab');
      const [text, style, thickness] = (await page.evaluate(`(({ activeElement: one }) =>
        [one.textContent, getComputedStyle(one).outlineStyle, parseFloat(getComputedStyle(one).outlineWidth)]
      )(document)`)) as [string, string, number];
      expect([text, style]).toEqual([name, 'solid']);
      expect(thickness).toBeGreaterThanOrEqual(2);
      // The summary opens the list of days with events.
      if (!name.startsWith('Days with')) continue;
      await page.keyboard.press('Enter');
      expect(await page.evaluate('document.activeElement.parentElement.open')).toBe(true);
    }
    const link = page.getByRole('link', { name: 'https://status.example.com/x?a=1&b=2' });
    expect(await link.getAttribute('rel')).toBe('nofollow noopener');
  });

  it('distinguishes states by shape and height, not only by color', async () => {
    put(everything(Date.now()));
    const page = await open();
    const icons = (await page.evaluate(
      `[...document.querySelectorAll('li .icon path')].map((path) => path.getAttribute('d'))`,
    )) as string[];
    expect(new Set(icons).size).toBe(COMPONENT_STATES.length);
    const heights = (await page.evaluate(
      `[...document.querySelectorAll('.bars')][0].innerHTML.match(/v-\\d+/g)`,
    )) as string[];
    expect(new Set(heights).size).toBe(COMPONENT_STATES.length);
    const words = await page.locator('li .state').allTextContents();
    expect(words.toSorted()).toEqual(['Degraded', 'Maintenance', 'Operational', 'Outage', 'Unknown']);
  });

  it.each(['light', 'dark'] as const)(
    'has enough contrast between marks and their background in the %s theme',
    async (theme) => {
      put(everything(Date.now(), { appearance: { theme } }));
      const page = await open();
      await page.keyboard.press('Tab');
      const marks = (await page.evaluate(`(() => {
      const style = (one) => getComputedStyle(one);
      const around = (one) => {
        const { backgroundColor } = style(one);
        return backgroundColor === 'rgba(0, 0, 0, 0)' ? around(one.parentElement) : backgroundColor;
      };
      const all = (selector, property) => [...document.querySelectorAll(selector)].map(
        (one) => [selector + ' ' + one.getAttribute('class'), style(one)[property], around(one)]);
      return [
        ...all('.bars path', 'fill'),
        ...all('.icon path', 'fill'),
        ...all('.banner', 'borderTopColor'),
        ...all('.notice', 'borderTopColor'),
        ...all('button', 'borderTopColor'),
        ...all(':focus', 'outlineColor'),
      ];
    })()`)) as [string, string, string][];
      expect(new Set(marks.map(([mark]) => mark)).size).toBeGreaterThanOrEqual(COMPONENT_STATES.length + 5);
      expect(marks.filter(([, mark, around]) => contrast(mark, around) < 3)).toEqual([]);
    },
  );

  it('shows a notice when it is old, and offers to reload when its content has changed', async () => {
    put(everything(Date.now() - 16 * 60_000));
    const old = await open();
    await old.locator('#old').waitFor({ state: 'visible' });
    const published = everything(Date.now());
    put(published);
    const context = await world.browser.newContext();
    const page = await context.newPage();
    await page.clock.install();
    await page.goto(url + BASE);
    expect(await page.locator('#old').isVisible()).toBe(false);
    files.set(`${BASE}.json`, JSON.stringify({ ...published.view, revision: 'another' }));
    await page.clock.runFor(61_000);
    await page.getByRole('button', { name: 'Reload' }).waitFor({ state: 'visible' });
  });

  it('has at most 30 KB with 50 components over 90 days, and no layout shift', async () => {
    const at = Date.now();
    const states = Array.from({ length: 50 }, (_, i) => COMPONENT_STATES[i % 5]!);
    const incidents = Array.from({ length: 10 }, (_, i) => statusIncident(`inc_${i}`, at));
    put(statusView({ at, states, incidents }));
    expect(gzipSync(files.get(BASE)!).length).toBeLessThan(30 * 1024);
    const page = await open();
    const shift = await page.evaluate(
      `new Promise((resolve) => new PerformanceObserver((list) => resolve(list.getEntries().length)).observe({ type: 'layout-shift', buffered: true }) ?? setTimeout(resolve, 300, 0))`,
    );
    expect(shift).toBe(0);
  });
});
