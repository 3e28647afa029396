import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { barriers } from '#test/support/axe.ts';
import { personWith } from '#test/support/browser.ts';
import { type Client, newTenant } from '#test/support/client.ts';
import { eventually } from '#test/support/eventually.ts';
import { receiving } from '#test/support/receiving.ts';
import { atNight } from './at-night.ts';
import { browserAndService } from './browser-and-service.ts';
import { binary } from './chromium.ts';
import { enterOn, typeInto } from './keyboard.ts';
import { enterDuration } from './person.ts';
import { personAt } from './places.ts';

const step = (page: Page, title: string) => page.getByRole('listitem').filter({ hasText: title });
const isFocused = (page: Page, name: string) =>
  eventually(async () => (await page.evaluate('document.activeElement.textContent')) as string | null).then((text) =>
    expect(text).toContain(name),
  );

/** Runs a shown command in a shell; throws if the API rejects it. */
const run = (command: string, env: Record<string, string> = {}) =>
  promisify(execFile)('sh', ['-c', `${command} -f`], { env: { ...process.env, ...env } });

describe.skipIf(!binary)('first steps in a browser', () => {
  const world = browserAndService();
  const receiver = receiving();

  async function openFleet(admin: Client) {
    const person = await personAt(world.browser, world.url, admin.key);
    await person.page.getByRole('heading', { name: 'Fleet', level: 1 }).waitFor();
    return person;
  }

  it('leads from the sign-in to a delivered alert with the keyboard only', async () => {
    const admin = await newTenant();
    const { page, complaints } = await personWith(world.browser);
    await page.goto(world.url);
    await typeInto(page, page.getByLabel(/^API key/), admin.key);
    await page.keyboard.press('Enter');
    await enterOn(page, page.getByRole('link', { name: 'Start setup' }));

    await typeInto(page, page.getByLabel(/^Name/), 'Web shop');
    await page.keyboard.press('Enter');
    await page.getByLabel(/^Target URL/).waitFor();
    await isFocused(page, 'Add a check');
    await typeInto(page, page.getByLabel(/^Target URL/), `${receiver().url}/health`);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Add channel' }).waitFor();
    await isFocused(page, 'Add a channel');
    await typeInto(page, page.getByLabel(/^URL/), `${receiver().url}/alerts`);
    await page.keyboard.press('Enter');
    await enterOn(page, page.getByRole('button', { name: 'Send test alert' }));
    await page.getByText('Accepted by slack').waitFor();
    expect(receiver().received.filter(({ path }) => path === '/alerts')).toHaveLength(1);

    await enterOn(page, page.getByRole('link', { name: 'Done: open the check' }));
    await eventually(() => /#\/checks\/chk_/.test(page.url()));
    const [check] = (await admin.get('/v1/checks')).body;
    expect(page.url()).toContain(check.id);
    expect(check).toMatchObject({ check_type: 'http', target_url: `${receiver().url}/health` });
    expect(complaints).toEqual([]);
  });

  it('keeps the step and the input after a reload', async () => {
    const admin = await newTenant();
    const { page } = await openFleet(admin);
    await page.getByRole('link', { name: 'Start setup' }).click();
    await page.getByLabel(/^Name/).fill('Backup');
    await page.reload();
    expect(await page.getByLabel(/^Name/).inputValue()).toBe('Backup');
    expect(await page.getByLabel(/^Slug/).inputValue()).toBe('backup');
    await page.getByRole('button', { name: 'Create entity' }).click();
    await page.getByLabel('Type').selectOption({ label: 'Push results' });
    await page.getByLabel(/^Interval/).fill('0');
    await page.getByRole('button', { name: 'Create check' }).click();
    // The error is shown at the field, and the input stays.
    await page.locator('.field-error').waitFor();
    expect(await page.getByLabel(/^Interval/).inputValue()).toBe('0');
    await enterDuration(page, 'Interval', '1', 'h');
    await page.getByRole('button', { name: 'Create check' }).click();
    await page.getByRole('button', { name: 'Add channel' }).waitFor();
    await page.reload();
    await page.getByRole('button', { name: 'Add channel' }).waitFor();

    // The page shows the ping URL of the push check, which needs no key.
    const url = page.locator('figure').filter({ has: page.locator('figcaption', { hasText: 'Ping URL' }) });
    await run(`curl -fsS ${await url.locator('code').textContent()}`);
    await step(page, 'Add a check').getByText('Up', { exact: true }).waitFor();
    expect(await page.getByText('Waiting for the first ping').count()).toBe(0);
  });

  it('shows commands that do the same', async () => {
    const admin = await newTenant();
    const { page } = await openFleet(admin);
    await page.getByRole('link', { name: 'Start setup' }).click();
    await page.getByLabel(/^Name/).fill("Ann's shop");
    await page.getByText("Ann'\\''s shop").waitFor();
    const commands = await page.locator('.step-calls code').allTextContents();
    expect(commands.join()).not.toContain(admin.key);
    for (const command of commands) {
      await run(command, { FLEETWATCH_KEY: admin.key });
    }
    const found = await admin.get('/v1/blueprints/service/entities/ann-s-shop');
    expect(found.body).toMatchObject({ name: "Ann's shop", state: 'unknown' });

    // The existing entity is offered.
    await page.reload();
    await page.getByRole('button', { name: "Use Ann's shop" }).click();
    await page.getByLabel(/^Target URL/).waitFor();
  });

  it('shows why a test failed and how to continue', async () => {
    const admin = await newTenant();
    const { page } = await openFleet(admin);
    await admin.post('/v1/blueprints', { slug: 'service', name: 'Service' });
    const entity = await admin.post('/v1/blueprints/service/entities', { slug: 'shop', name: 'Shop' });
    const check = await admin.post('/v1/checks', { entity_id: entity.body.id, check_type: 'push' });
    const path = `/v1/checks/${check.body.id}/policy/channels`;
    const channel = await admin.post(path, { channel_type: 'slack', config: { url: 'http://127.77.0.9:1/gone' } });
    const made = `entity=service/shop&check=${check.body.id}&channel=${channel.body.id}`;
    await page.goto(`${world.url}/#/start?${made}`);
    await page.getByRole('button', { name: 'Send test alert' }).click();
    await page.getByText(/Delivery failed: \w+/).waitFor();
    await page.getByRole('link', { name: 'Change the channel on the page of the check' }).waitFor();
    await page.setViewportSize({ width: 390, height: 844 });
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0);
    expect(await barriers(page)).toEqual([]);
  });

  atNight('fits a phone', async () => {
    const { page } = await openFleet(await newTenant());
    await page.setViewportSize({ width: 390, height: 844 });
    await page.getByRole('link', { name: 'Start setup' }).click();
    await page.getByLabel(/^Name/).fill('long '.repeat(30));
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0);
    expect(await barriers(page)).toEqual([]);
    await page.getByRole('link', { name: 'Skip' }).click();
    await page.getByText('No entities yet').waitFor();
  });
});
