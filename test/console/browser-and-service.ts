import type { Browser } from 'playwright-core';
import { afterAll, beforeAll } from 'vitest';
import { startBrowser } from '#test/support/browser.ts';
import { type Service, startService } from '#test/support/service.ts';
import { binary } from './chromium.ts';

/** A browser, and a service in this process, for the tests of a `describe`: there when the first of them begins. */
export function browserAndService(): { browser: Browser; service: Service } {
  const world: Partial<{ browser: Browser; service: Service }> = {};
  beforeAll(async () => {
    world.browser = await startBrowser(binary!);
    world.service = await startService();
  });
  afterAll(async () => {
    await world.browser?.close();
    await world.service?.stop();
  });
  return world as { browser: Browser; service: Service };
}
