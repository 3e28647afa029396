import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll } from 'vitest';
import { startBrowser } from '#test/support/browser.ts';
import { type Service, startService } from '#test/support/service.ts';
import { binary } from './chromium.ts';

/** The files of these tests run one after the other in one process, which ends both with itself. */
let browser: Promise<Browser> | undefined;
let service: Promise<Service> | undefined;

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

/** The same, with a service in this process. Each test has an account and pages of its own. */
export function browserAndService(): { browser: Browser; service: Service } {
  const world: { browser: Browser; service?: Service } = inBrowser();
  beforeAll(async () => {
    service ??= startService();
    world.service = await service;
  });
  afterEach(() => closePages(world));
  return world as { browser: Browser; service: Service };
}
