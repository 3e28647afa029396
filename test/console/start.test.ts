import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { axeViolations } from '#test/support/axe.ts';
import { openBrowserContext } from '#test/support/browser.ts';
import { type Client, newTenant } from '#test/support/client.ts';
import { eventually } from '#test/support/eventually.ts';
import { receiving } from '#test/support/receiving.ts';
import { atNight } from './at-night.ts';
import { browserAndService } from './browser-and-service.ts';
import { binary } from './chromium.ts';
import { enterOn, typeInto } from './keyboard.ts';
import { personAt } from './places.ts';

const step = (page: Page, title: string) => page.getByRole('listitem').filter({ hasText: title });
const expectFocus = (page: Page, name: string) =>
  eventually(async () => (await page.evaluate('document.activeElement.textContent')) as string | null).then((text) =>
    expect(text).toContain(name),
  );

/** Runs a curl command of the page in a shell; throws if the API rejects the request. */
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

  const openSteps = ({ page }: { page: Page }) => page.getByRole('link', { name: 'First steps' }).click();

  it('monitors a URL with a channel in at most five clicks from the empty fleet', async () => {
    const admin = await newTenant();
    const { page, complaints } = await openFleet(admin);
    await page.evaluate(`addEventListener('click', () => { window.clicks = (window.clicks ?? 0) + 1; }, true)`);
    await page.getByRole('button', { name: 'Monitor a URL' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel(/^URL/).click();
    await page.keyboard.type(`${receiver().url}/health`);
    await dialog.getByLabel(/^Slack: URL/).click();
    await page.keyboard.type(`${receiver().url}/alerts`);
    await dialog.getByRole('button', { name: 'Start monitoring' }).click();
    await eventually(() => /#\/checks\/chk_/.test(page.url()));
    expect(await page.evaluate('window.clicks')).toBeLessThanOrEqual(5);

    const [check] = (await admin.get('/v1/checks')).body;
    expect(page.url()).toContain(check.id);
    expect(check).toMatchObject({ check_type: 'http', target_url: `${receiver().url}/health` });
    expect((await admin.get('/v1/notify/channels')).body).toMatchObject([{ scope: 'account', name: 'Slack' }]);
    expect(complaints).toEqual([]);
  });

  it('tests a target before it is saved, and shows errors at the fields', async () => {
    const admin = await newTenant();
    const { page } = await openFleet(admin);
    await page.getByRole('button', { name: 'Monitor a URL' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Preset').selectOption({ label: 'TCP port' });
    await dialog.getByLabel(/^Host/).fill('127.77.0.1');
    await dialog.getByRole('button', { name: 'Test settings' }).click();
    await dialog.getByText('must include the port').waitFor();
    await dialog.getByLabel(/^Host/).fill(new URL(receiver().url).host);
    await dialog.getByRole('button', { name: 'Test settings' }).click();
    await dialog
      .locator('.test-result')
      .getByText(/after \d+ ms/)
      .waitFor();
    expect((await admin.get('/v1/checks')).body).toEqual([]);
    await dialog.getByRole('button', { name: 'Start monitoring' }).click();
    await dialog.locator('.field-error').getByText('is required').waitFor();
    expect(await axeViolations(page)).toEqual([]);
  });

  it('leads from the sign-in to a delivered alert with the keyboard only', async () => {
    const admin = await newTenant();
    const { page, complaints } = await openBrowserContext(world.browser);
    await page.goto(world.url);
    await typeInto(page, page.getByLabel(/^API key/), admin.key);
    await page.keyboard.press('Enter');
    await enterOn(page, page.getByRole('link', { name: 'First steps' }));

    await typeInto(page, page.getByLabel(/^URL/), `${receiver().url}/health`);
    await typeInto(page, page.getByLabel(/^Slack: URL/), `${receiver().url}/steps`);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Send test alert' }).waitFor();
    await expectFocus(page, 'Send a test alert');
    await enterOn(page, page.getByRole('button', { name: 'Send test alert' }));
    await page.getByText('Accepted by slack').waitFor();
    expect(receiver().received.filter(({ path }) => path === '/steps')).toHaveLength(1);
    expect((await admin.get('/v1/notify/policy')).body).toMatchObject({ flap_threshold: 6, flap_window_seconds: 3600 });

    await enterOn(page, page.getByRole('link', { name: 'Done: open the check' }));
    await eventually(() => /#\/checks\/chk_/.test(page.url()));
    expect(complaints).toEqual([]);
  });

  it('keeps the input and the step after a reload, and shows how a job reports', async () => {
    const admin = await newTenant();
    const person = await openFleet(admin);
    const { page } = person;
    await openSteps(person);
    await page.getByLabel('Preset').selectOption({ label: 'Cron job' });
    await page.getByLabel('Notify').selectOption({ label: 'No channel' });
    await page.getByLabel(/^Name/).fill('Backup');
    await page.reload();
    await page.getByLabel('Preset').selectOption({ label: 'Cron job' });
    await page.getByLabel('Notify').selectOption({ label: 'No channel' });
    expect(await page.getByLabel(/^Name/).inputValue()).toBe('Backup');
    await page.getByLabel(/^Schedule/).fill('61 * * * *');
    await page.getByRole('button', { name: 'Start monitoring' }).click();
    await page.locator('.field-error').waitFor();
    await page.getByLabel(/^Schedule/).fill('30 2 * * *');
    await page.getByRole('button', { name: 'Start monitoring' }).click();
    await page.getByText('No channel receives the alerts').first().waitFor();
    await page.reload();

    // The page shows the ping URL of the push check, which needs no key.
    const url = page.locator('figure').filter({ has: page.locator('figcaption', { hasText: 'Ping URL' }) });
    await run(`curl -fsS ${await url.locator('code').textContent()}`);
    await step(page, 'Monitor a URL').getByText('Up', { exact: true }).waitFor();
    expect(await page.getByText('Waiting for the first ping').count()).toBe(0);
  });

  it('shows commands with the same effect as the form', async () => {
    const admin = await newTenant();
    const person = await openFleet(admin);
    const { page } = person;
    await openSteps(person);
    await page.getByLabel('Notify').selectOption({ label: 'No channel' });
    await page.getByLabel(/^URL/).fill(`${receiver().url}/ann's`);
    await page.getByText("ann'\\''s").waitFor();
    const commands = await page.locator('.step-calls code').allTextContents();
    expect(commands.join()).not.toContain(admin.key);
    for (const command of commands) {
      await run(command, { FLEETWATCH_KEY: admin.key });
    }
    expect((await admin.get('/v1/checks')).body).toMatchObject([{ target_url: `${receiver().url}/ann's` }]);
    expect((await admin.get('/v1/notify/policy')).body).toMatchObject({ flap_threshold: 6 });
  });

  it('shows why a test failed and how to continue', async () => {
    const admin = await newTenant();
    const { page } = await openFleet(admin);
    const channel = { name: 'Gone', channel_type: 'slack', config: { url: 'http://127.77.0.9:1/gone' } };
    const made = await admin.post('/v1/monitors', { target: `${receiver().url}/health`, channel });
    await page.goto(`${world.url}/#/start?check=${made.body.check.id}&channel=${made.body.channels[0].id}`);
    await page.getByRole('button', { name: 'Send test alert' }).click();
    await page.getByText(/Delivery failed: \w+/).waitFor();
    await page.getByRole('link', { name: 'Change the channel' }).waitFor();
    await page.setViewportSize({ width: 390, height: 844 });
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0);
    expect(await axeViolations(page)).toEqual([]);
  });

  atNight('fits a phone', async () => {
    const person = await openFleet(await newTenant());
    const { page } = person;
    await page.setViewportSize({ width: 390, height: 844 });
    await openSteps(person);
    await page.getByLabel(/^URL/).fill('long '.repeat(30));
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0);
    expect(await axeViolations(page)).toEqual([]);
    await page.getByRole('link', { name: 'Skip' }).click();
    await page.getByText('No entities yet').waitFor();
  });
});
