import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll } from 'vitest';
import { startBrowser } from '#test/support/browser.ts';
import { target } from '#test/support/service.ts';
import { binary } from './chromium.ts';

/** The files that run one after the other in one process share it, which ends it with itself. */
let browser: Promise<Browser> | undefined;

/** Pages go on asking for news as long as they are open. */
const closePages = async ({ browser }: { browser?: Browser }): Promise<void> => {
  await Promise.all(browser?.contexts().map((context) => context.close()) ?? []);
};

/** The browser of all these tests: there when the first of a `describe` begins, without pages after the last. */
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
 * The same, with the address of the service that is asked: that of BASE_URL, or one in this process. Each test has an
 * account and pages of its own.
 */
export function browserAndService(): { browser: Browser; url: string } {
  const world: { browser: Browser; url?: string } = inBrowser();
  beforeAll(async () => {
    world.url = (await target()).url;
  });
  afterEach(() => closePages(world));
  return world as { browser: Browser; url: string };
}
