import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { PUBLIC_HEADERS } from '#lib/public/headers.ts';
import { historyHtml, statusHtml } from '#lib/public/pages/html.ts';
import { LANGUAGES } from '#lib/public/pages/status-page.ts';
import { COMPONENT_STATES, type PublishedView } from '#lib/public/pages/view.ts';
import { barriers } from '#test/support/axe.ts';
import { statusIncident, statusMaintenance, statusView } from '#test/support/status-view.ts';
import { inBrowser } from './browser-and-service.ts';
import { binary } from './chromium.ts';

const BASE = '/status/acme';
/** Pages of a plain server with the headers of the service, which a test replaces. */
const files = new Map<string, string>();
/** Requests to it: paths with their cookies. */
const requests: string[] = [];
let server: Server;
let url: string;

beforeAll(async () => {
  server = createServer((request, response) => {
    requests.push(`${request.url} ${request.headers.cookie ?? ''}`.trim());
    const type = request.url!.endsWith('.json') ? 'application/json' : 'text/html; charset=utf-8';
    const file = files.get(request.url!);
    response.writeHead(file === undefined ? 404 : 200, { 'content-type': type, ...PUBLIC_HEADERS }).end(file ?? '');
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => void server.close());

const put = (published: PublishedView) => {
  files.set(BASE, statusHtml(published, { base: BASE, logo: undefined }));
  files.set(`${BASE}/history`, historyHtml(published, { base: BASE, logo: undefined }));
  files.set(`${BASE}.json`, JSON.stringify(published.view));
};
const everything = (at: number, more: Parameters<typeof statusView>[0] = {}) =>
  statusView({ at, incidents: [statusIncident('inc_1', at)], maintenance: [statusMaintenance(at)], ...more });

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
    // No message of the policy, and no error.
    expect(faults.splice(0)).toEqual([]);
    requests.length = 0;
  });

  it.each(LANGUAGES)('has no barriers in light and dark, with every state, in %s', async (language) => {
    put(everything(Date.now(), { language }));
    for (const path of [BASE, `${BASE}/history`]) expect(await barriers(await open({}, path))).toEqual([]);
  });

  it.each([360, 640])('fits a width of %d px, also with long words and enlarged text', async (width) => {
    const published = everything(Date.now());
    published.view.page.title = 'A'.repeat(120);
    published.view.groups[0]!.components[0]!.name = 'Komponentenüberwachungszentrale'.repeat(3);
    put(published);
    const page = await open({ viewport: { width, height: 800 }, deviceScaleFactor: 2 });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
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

  it('can be used with the keyboard, and its links to other sites reveal nothing', async () => {
    put(everything(Date.now()));
    const page = await open();
    const reached: string[] = [];
    for (let presses = 0; presses < 20; presses++) {
      await page.keyboard.press('Tab');
      reached.push((await page.evaluate('document.activeElement.textContent')) as string);
    }
    for (const name of ['Acme status', 'Support', 'Incident history']) expect(reached).toContain(name);
    const link = page.getByRole('link', { name: 'https://status.example.com/x?a=1&b=2' });
    expect(await link.getAttribute('rel')).toBe('nofollow noopener');
  });

  it('differs by shape and height, not only by color', async () => {
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
  });

  it('shows a notice once it is old, and offers to reload when the state has changed', async () => {
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

  it('cannot read a cookie of its origin, and requests nothing with it', async () => {
    put(everything(Date.now()));
    const html = files.get(BASE)!;
    const script = `fetch('/v1/me').catch(() => {}); try { document.title = document.cookie } catch { document.title = 'none' }`;
    // As if a script had got into the page, past its own policy.
    files.set(BASE, html.replace(/<meta http-equiv[^>]*>/, '').replace('</body>', `<script>${script}</script></body>`));
    const context = await world.browser.newContext();
    await context.addCookies([{ name: 'session', value: 'secret', url }]);
    const page = await context.newPage();
    await page.goto(url + BASE);
    await page.waitForFunction(`document.title === 'none'`);
    expect(requests.filter((one) => one.startsWith('/v1/me'))).toEqual(['/v1/me']);
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
