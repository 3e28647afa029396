import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll } from 'vitest';
import { startBrowser } from '#test/support/browser.ts';
import { target } from '#test/support/service.ts';
import { binary } from './chromium.ts';

/** Browser, shared by all test files of a process; it ends with the process. */
let browser: Promise<Browser> | undefined;

/** Closes all pages, because open pages keep polling. */
const closePages = async ({ browser }: { browser?: Browser }): Promise<void> => {
  await Promise.all(browser?.contexts().map((context) => context.close()) ?? []);
};

/**
 * Returns the shared browser. It is started before the first test of a `describe`, and its pages are closed after the
 * last test.
 */
export function inBrowser(): { browser: Browser } {
  const world: { browser?: Browser } = {};
  beforeAll(async () => {
    browser ??= startBrowser(binary!);
    world.browser = await browser;
  });
  afterAll(() => closePages(world));
  return world as { browser: Browser };
}

/**
 * Returns the shared browser, and the URL of the service: BASE_URL, or a service in this process. Pages are closed
 * after each test.
 */
export function browserAndService(): { browser: Browser; url: string } {
  const world: { browser: Browser; url?: string } = inBrowser();
  beforeAll(async () => {
    world.url = (await target()).url;
  });
  afterEach(() => closePages(world));
  return world as { browser: Browser; url: string };
}
