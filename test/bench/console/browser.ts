import { setTimeout as pause } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { quantile } from '#test/bench/figures.ts';
import { inParallel } from '#test/long/fleet.ts';
import { openBrowserContext, startBrowser } from '#test/support/browser.ts';
import { runCommand } from '#test/support/command.ts';
import { eventually } from '#test/support/eventually.ts';
import { findProgram } from '#test/support/find-program.ts';
import { got } from '#test/support/fleet.ts';
import { type RealService, startRealService } from '#test/support/real-service.ts';
import type { Figures } from './targets.ts';

const ROUNDS = 5;
/** Number of entities with a check that changes their state. */
const CHECKS = 20;

/** Creates entities of one blueprint, the first 20 with a push check that is up. @returns the ids of the checks */
async function fill({ client, dir }: RealService, entities: number): Promise<string[]> {
  const { id } = got(await client.get('/v1/me'), 200);
  const limits = ['--entities', String(entities)];
  const { code, err } = await runCommand('infra/admin/main.ts', ['account', 'set-limits', id, ...limits], {
    DATA_DIR: dir,
  });
  if (code !== 0) throw new Error(err);
  got(await client.post('/v1/blueprints', { slug: 'service', name: 'Service' }), 201);
  const numbers = Array.from({ length: entities }, (_, number) => number);
  const made = await inParallel(numbers, 8, async (number) =>
    got(
      await client.post('/v1/blueprints/service/entities', { slug: `service-${number}`, name: `Service ${number}` }),
      201,
    ),
  );
  const settings = { check_type: 'push', interval_seconds: 3600, failure_threshold: 1 };
  return inParallel(made.slice(0, CHECKS), 4, async (entity) => {
    const check = got(await client.post('/v1/checks', { ...settings, entity_id: entity.id }), 201);
    await report(client, check.id, true);
    return check.id as string;
  });
}

const report = async (client: RealService['client'], check: string, success: boolean): Promise<void> => {
  got(await client.post(`/v1/checks/${check}/results`, { success, latency_ms: 5, status_code: 0 }), 201);
};

/**
 * Script of the page: records the time of the first row, and the time from each response with transitions until a row
 * that is down is laid out.
 */
const NOTES = `(() => {
  window.noted = { answered: 0, repaint: [] };
  const note = () => {
    if (window.noted.first === undefined && document.querySelector('tbody tr[data-row]')) {
      document.body.offsetHeight;
      window.noted.first = performance.now();
    }
    if (!window.noted.answered || !document.querySelector('tbody .down')) return;
    document.body.offsetHeight;
    window.noted.repaint.push(performance.now() - window.noted.answered);
    window.noted.answered = 0;
  };
  new MutationObserver(note).observe(document, { childList: true, subtree: true, characterData: true, attributes: true });
  const json = Response.prototype.json;
  Response.prototype.json = async function () {
    const value = await json.call(this);
    if (this.url.includes('/v1/status/transitions')) window.noted.answered = performance.now();
    return value;
  };
})()`;

/** Returns a script that measures the time from typing in the search to the layout of the remaining rows. */
const FILTER = (text: string) => `new Promise((done) => {
  const field = document.querySelector('main input[type=search]');
  const rows = document.querySelector('tbody');
  const began = performance.now();
  const watch = new MutationObserver(() => {
    document.body.offsetHeight;
    watch.disconnect();
    done(performance.now() - began);
  });
  watch.observe(document.querySelector('main'), { childList: true, subtree: true, characterData: true, attributes: true });
  field.value = ${JSON.stringify(text)};
  field.dispatchEvent(new Event('input', { bubbles: true }));
})`;

/** Polls with `evaluate`, because the content security policy of the page does not let it compile a condition. */
const firstRow = (page: Page): Promise<number> =>
  eventually(() => page.evaluate('window.noted?.first') as Promise<number | undefined>, 60_000);

/** Measures the console in Chromium. Times are medians of some rounds, except `change_seen_ms`, the maximum. */
export async function inBrowser(entities: number): Promise<Figures> {
  await using service = await startRealService();
  const checks = await fill(service, entities);
  const browser = await startBrowser(findProgram('chromium')!);
  try {
    const { page, context } = await openBrowserContext(browser);
    await page.setViewportSize({ width: 1280, height: 900 });
    await page.goto(service.url);
    await page.getByLabel(/^API key/).fill(service.client.key);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page
      .getByRole('navigation', { name: 'Pages' })
      .or(page.getByRole('heading', { name: 'You are in' }))
      .waitFor();
    await page.addInitScript(NOTES);
    const first: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      await page.goto('about:blank');
      await page.goto(service.url);
      first.push(await firstRow(page));
    }
    const cdp = await context.newCDPSession(page);
    const heapOf = async () => {
      await cdp.send('HeapProfiler.collectGarbage');
      return (await cdp.send('Runtime.getHeapUsage')).usedSize / 2 ** 20;
    };
    const heap_mb = await heapOf();
    const filter: number[] = [];
    for (const text of ['service 77', '', 'service 9', '', '4242', '']) {
      filter.push(Number(await page.evaluate(FILTER(text))));
      await pause(500);
    }
    const seen: number[] = [];
    for (const check of checks.slice(0, ROUNDS)) {
      await page.mouse.move(10 + seen.length, 10);
      const before = (await page.evaluate('window.noted.repaint.length')) as number;
      const began = performance.now();
      await report(service.client, check, false);
      await eventually(() => page.evaluate(`window.noted.repaint.length > ${before}`), 30_000);
      seen.push(performance.now() - began);
      await report(service.client, check, true);
      await pause(6_000);
      await page.evaluate('window.noted.answered = 0');
    }
    const repaint = (await page.evaluate('window.noted.repaint')) as number[];
    return {
      first_view_ms: quantile(first, 0.5),
      filter_ms: quantile(filter, 0.5),
      heap_mb,
      change_seen_ms: Math.max(...seen),
      repaint_ms: quantile(repaint, 0.5),
      rows_in_page: Number(await page.locator('tbody tr[data-row]').count()),
    };
  } finally {
    await browser.close();
  }
}
