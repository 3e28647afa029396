import { describe, expect, it } from 'vitest';
import { axeViolations } from '#test/support/axe.ts';
import { eventually } from '#test/support/eventually.ts';
import { got } from '#test/support/fleet.ts';
import { receiving } from '#test/support/receiving.ts';
import { browserAndService } from './browser-and-service.ts';
import { push } from './check-fleet.ts';
import { binary } from './chromium.ts';
import { lookingAtCheck } from './looking-at-check.ts';
import { type Actor, button, enterDuration, pollNow, unfold, waitForMessage } from './person.ts';

/** Returns the button that opens the menu with the rare actions of a check. */
const moreActions = ({ page }: Actor) => page.getByLabel('More actions', { exact: true });

describe.skipIf(!binary)('check page in a browser', () => {
  const world = browserAndService();
  const receiver = receiving();
  const openCheck = lookingAtCheck(world, receiver);

  it('shows the deliveries of each state change, or why no alert was sent', async () => {
    const { page, admin, check, cards, complaints } = await openCheck();
    const newest = cards.first();
    await newest.getByText(/Alerted\. Accepted by Slack/).waitFor();
    expect(await newest.textContent()).toMatch(/Down.*card declined.*Slack 127\.77\.0\.1:\d+.*Sent.*1 attempt/s);
    expect(await cards.last().textContent()).toMatch(
      /Not alerted\. First state: the check came up after it was created/,
    );

    got(await admin.post(`/v1/checks/${check.id}/policy`, { silenced: true }), 200);
    await push(admin, check.id, true);
    await pollNow({ page });
    await newest.getByText(/Not alerted\. Silence: a silence of the check/).waitFor();
    expect(await newest.textContent()).toMatch(/Up.*after .* down/s);
    await page.getByText('Silenced: no alerts are sent.').waitFor();
    expect(complaints).toEqual([]);
  });

  it('states which part of a time range the uptime covers, and shows latency for a whole hour', async () => {
    const { page } = await openCheck();
    const partial = page.locator('.uptime .partial');
    await partial.nth(3).waitFor();
    for (const text of await partial.allTextContents())
      expect(text).toMatch(/Uptime \d+ (h|d).*known for \d+ (s|min)/s);
    const ends = await page.locator('.latency-axis span').allTextContents();
    const [first, last] = [ends[0]!, ends.at(-1)!].map((text) => {
      const [hour, minute] = text.split(':').map(Number);
      return hour! * 60 + minute!;
    });
    expect([59, 60, 61]).toContain((last! - first! + 1440) % 1440);
  });

  it('shows the ping URL of a push check first until the first result', async () => {
    const { page, admin, check } = await openCheck();
    const { id } = got(await admin.post('/v1/checks', { entity_id: check.entity_id, check_type: 'push' }), 201);
    await page.evaluate(`location.hash = '#/checks/${id}'`);
    const firstSection = page.locator('.check-page h2').first();
    await page.getByText('waiting for the first heartbeat').waitFor();
    expect(await firstSection.textContent()).toBe('Ping URL');
    expect(await page.getByRole('heading', { name: 'Latency' }).count()).toBe(0);
    await push(admin, id, true);
    await page.reload();
    await page.getByRole('heading', { name: 'Latency' }).waitFor();
    expect(await firstSection.textContent()).toBe('Latency');
  });

  it('acknowledges and silences a check, and explains the alert', async () => {
    const person = await openCheck();
    const { page, admin, check, cards } = person;
    const { cooldown_seconds } = (await admin.get(`/v1/checks/${check.id}/policy`)).body;
    const dialog = page.getByRole('dialog');
    expect(await page.locator('.page-actions .main').allTextContents()).toEqual(['Acknowledge']);
    await button(person, 'Acknowledge').click();
    await dialog.getByLabel(/^Note/).fill('on it');
    await dialog.getByRole('button', { name: 'Acknowledge' }).click();
    await page.getByText(/Acknowledged by .*on it/).waitFor();
    expect(await page.locator('.page-actions .main').count()).toBe(0);
    expect((await admin.get(`/v1/checks/${check.id}`)).body.acknowledgement).toMatchObject({ note: 'on it' });

    await button(person, 'Silence').click();
    await dialog.getByLabel(/^For/).selectOption('4 hours');
    await dialog.getByLabel(/^Reason/).fill('a move');
    await dialog.getByRole('button', { name: 'Silence' }).click();
    await page.getByText('Silenced: no alerts are sent.').waitFor();
    const policy = (await admin.get(`/v1/checks/${check.id}/policy`)).body;
    expect(policy).toMatchObject({ silenced: true, silence_reason: 'a move', cooldown_seconds });
    expect(Date.parse(policy.silenced_until) - Date.now()).toBeGreaterThan(3 * 3_600_000);

    await cards.first().getByText('Explain: result of each rule').click();
    const rules = cards.first().locator('.rules li');
    await rules.filter({ hasText: /Cooldown\s*passed/ }).waitFor();
    expect(await axeViolations(page)).toEqual([]);
  });

  it('tests a channel and shows the outcome', async () => {
    const person = await openCheck();
    const { page, path } = person;
    const row = page.locator('.channels > li');
    const before = receiver().received.filter((one) => one.path === path).length;
    await button(person, 'Send test').click();
    await row.getByText(/Test:.*Sent/).waitFor();
    expect(receiver().received.filter((one) => one.path === path)).toHaveLength(before + 1);
    receiver().behave({ status: 404 });
    await button(person, 'Send test').click();
    await row.getByText(/Test:.*Failed/).waitFor();
    expect(await row.textContent()).toMatch(/404/);
  });

  it('adds, edits and removes channels, and shows errors at the fields', async () => {
    const person = await openCheck();
    const { page, admin, check } = person;
    const dialog = page.getByRole('dialog');
    await button(person, 'Add channel').click();
    await dialog.getByLabel('Type').selectOption('ntfy');
    await dialog.getByLabel(/^URL/).fill('nonsense');
    await dialog.getByRole('button', { name: 'Add channel' }).click();
    await dialog.locator('.field-error').waitFor();
    await dialog.getByLabel(/^URL/).fill(`${receiver().url}/topic`);
    await dialog.getByRole('button', { name: 'Add channel' }).click();
    await page.locator('.channels > li').nth(1).waitFor();

    const slack = page.locator('.channels > li', { hasText: 'Slack' });
    await slack.getByRole('button', { name: 'Edit' }).click();
    await dialog.getByLabel(/^URL/).fill('http://127.77.0.9/elsewhere');
    await button(person, 'Save channel').click();
    await page.getByText('Slack 127.77.0.9').first().waitFor();
    const { channels } = (await admin.get(`/v1/checks/${check.id}/policy`)).body;
    expect(channels.map(({ id }: { id: string }) => id)).toContain(check.channel_id);

    await slack.getByRole('button', { name: 'Remove' }).click();
    await dialog.getByText(/receives no more alerts/).waitFor();
    await button(person, 'Remove channel').click();
    await eventually(async () => (await page.locator('.channels > li').count()) === 1);
  });

  it('edits the policy', async () => {
    const person = await openCheck();
    const { page, admin, check } = person;
    await button(person, 'Change policy').click();
    await page.getByRole('textbox', { name: 'Cooldown' }).fill('-1');
    await page.getByLabel(/^Notify on recovery/).uncheck();
    await unfold(page, 'Details');
    await page.getByLabel(/^Impact update/).uncheck();
    await button(person, 'Save policy').click();
    await page.locator('.field-error').waitFor();
    await enterDuration(page, 'Cooldown', '10', 'min');
    await button(person, 'Save policy').click();
    await page.getByText('At most one alert every 10 min').waitFor();
    const { body } = await admin.get(`/v1/checks/${check.id}/policy`);
    expect(body).toMatchObject({ cooldown_seconds: 600, notify_on_recovery: false, impact_update: false });
    expect(body.inherited).toContain('late_alerts');
    expect(body.inherited).not.toContain('cooldown_seconds');
    await page.getByText('3 settings overridden').click();
    await button(person, 'Reset Impact update to the value of the account').waitFor();
    await button(person, 'Reset Cooldown to the value of the account').click();
    await page.getByText('2 settings overridden').waitFor();
  });

  it('shows the ping URL, and the time without a ping after which the check goes down', async () => {
    const { page, check } = await openCheck();
    await page.getByText(/The check goes down after\s*2 h\s*without a ping \(7200 s\)/).waitFor();
    const url = await page.locator('figure', { hasText: 'Ping URL' }).locator('code').textContent();
    expect(url).toBe(check.ping_url);
    const line = await page.locator('figure', { hasText: 'Crontab entry' }).locator('code').textContent();
    expect(line).toContain(`${url}/$?`);
  });

  it('shows the bodies of pings, and rotates the ping URL', async () => {
    const { page, check } = await openCheck();
    const { pathname } = new URL(check.ping_url);
    await fetch(`${world.url}${pathname}/log`, { method: 'POST', body: 'copied 3 tables' });
    await page.reload();
    await page.getByRole('table', { name: 'Pings' }).getByRole('button', { name: '15 bytes' }).click();
    await page.getByRole('dialog').getByText('copied 3 tables').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
    await page.getByRole('button', { name: 'Rotate URL…' }).click();
    await page.getByRole('button', { name: 'Rotate URL', exact: true }).click();
    await page.getByText('The check has a new ping URL.').waitFor();
    expect((await fetch(`${world.url}${pathname}`)).status).toBe(404);
  });

  it('runs the check manually and shows the result', async () => {
    const person = await openCheck();
    const { page, admin, check } = person;
    const probed = got(
      await admin.post('/v1/checks', {
        entity_id: check.entity_id,
        check_type: 'http',
        target_url: `${receiver().url}/health`,
        interval_seconds: 86_400,
        failure_threshold: 1,
      }),
      201,
    );
    await eventually(async () => (await admin.get(`/v1/checks/${probed.id}`)).body.state === 'up');
    await page.evaluate(`location.hash = '#/checks/${probed.id}?window=1h'`);
    await page.getByRole('img', { name: /^Latency: .*1 result, 0 failed/ }).waitFor();
    receiver().behave({ status: 503 });
    await button(person, 'Check now').click();
    await page.getByText(/Manual run:.*Failed.*got 503/).waitFor();
    await page
      .getByRole('table', { name: 'Results' })
      .getByText(/manual/)
      .waitFor();
    await page.locator('.check-status').getByText('Down', { exact: true }).waitFor();
    await page.getByRole('img', { name: /^Latency: .*2 results, 1 failed/ }).waitFor();
    await button(person, '30 d').click();
    await page.getByRole('img', { name: /^Latency: .*1 gap/ }).waitFor();
    expect(page.url()).toContain('?window=30d');
  });

  it('shows the warning of a degraded check and its progress towards recovery', async () => {
    const { page, admin, check, cards } = await openCheck();
    got(await admin.put(`/v1/checks/${check.id}`, { recovery_threshold: 2 }), 200);
    const warning = { success: true, latency_ms: 5, warning_message: 'half of the pool is gone' };
    got(await admin.post(`/v1/checks/${check.id}/results`, warning), 201);
    got(await admin.post(`/v1/checks/${check.id}/results`, { success: true, latency_ms: 5 }), 201);
    await pollNow({ page });
    const status = page.locator('.check-status');
    await status.getByText('Degraded', { exact: true }).waitFor();
    await status.getByText('1 of 2 successes').waitFor();
    await status.getByText(/up after 2 successes/).waitFor();
    await page.reload();
    const results = page.getByRole('table', { name: 'Results' });
    await results.getByText('Warning', { exact: true }).waitFor();
    await results.getByText('half of the pool is gone').waitFor();
    expect(await cards.first().textContent()).toMatch(/Degraded.*after .* down/s);
  });

  it('edits, duplicates, disables and deletes a check', async () => {
    const person = await openCheck();
    const { page, admin, check } = person;
    await page.getByRole('link', { name: 'Edit' }).click();
    await page.getByLabel(/^Failure threshold/).fill('0');
    await button(person, 'Save check').click();
    await page.locator('.field', { hasText: 'Failure threshold' }).locator('.field-error').waitFor();
    await page.getByLabel(/^Failure threshold/).fill('4');
    await page.getByLabel(/^Name/).fill('');
    await button(person, 'Save check').click();
    await page.getByRole('heading', { level: 1, name: 'push check', exact: true }).waitFor();
    expect((await admin.get(`/v1/checks/${check.id}`)).body.name).toBeNull();
    await page.getByRole('link', { name: 'Edit' }).click();
    await page.getByLabel(/^Name/).fill('payment');
    await button(person, 'Save check').click();
    await page.getByRole('heading', { level: 1, name: 'payment', exact: true }).waitFor();
    expect((await admin.get(`/v1/checks/${check.id}`)).body).toMatchObject({ failure_threshold: 4, name: 'payment' });

    await moreActions(person).click();
    await page.getByRole('link', { name: 'Duplicate' }).click();
    await page.getByLabel(/^Name/).fill('copy');
    await button(person, 'Save check').click();
    await page.getByRole('heading', { level: 1, name: 'copy' }).waitFor();
    const copy = (await admin.get(`/v1/checks?entity_id=${check.entity_id}`)).body.at(-1);
    expect(copy).toMatchObject({ name: 'copy', failure_threshold: 4, interval_seconds: 3600, check_type: 'push' });

    await button(person, 'Disable').click();
    await page.locator('.check-status').getByText('Disabled', { exact: true }).waitFor();
    await page.evaluate(`location.hash = '#/checks/${check.id}'`);
    await page.getByRole('heading', { level: 1, name: 'payment', exact: true }).waitFor();
    await page.locator('.channels > li').waitFor();
    await moreActions(person).click();
    await button(person, 'Delete').click();
    await page
      .getByRole('dialog')
      .getByText(/history and policy with 1 channel/)
      .waitFor();
    await button(person, 'Delete check').click();
    await waitForMessage(person, /deleted/);
    expect((await admin.get(`/v1/checks/${check.id}`)).status).toBe(404);
  });

  it('undoes Disable with the keyboard', async () => {
    const person = await openCheck();
    const { page, admin, check } = person;
    const isEnabled = async () => (await admin.get(`/v1/checks/${check.id}`)).body.enabled;
    await button(person, 'Disable').click();
    await waitForMessage(person, /The check is disabled/);
    await button(person, 'Enable').waitFor();
    expect(await isEnabled()).toBe(false);
    const undo = page.getByRole('status').getByRole('button', { name: 'Undo' });
    await undo.focus();
    await page.keyboard.press('Enter');
    await waitForMessage(person, /The check is enabled/);
    await button(person, 'Disable').waitFor();
    expect(await isEnabled()).toBe(true);
    expect(await undo.count()).toBe(0);
    expect(await axeViolations(page)).toEqual([]);
  });

  it('offers Undo for ten seconds', async () => {
    const person = await openCheck();
    const { page } = person;
    await page.clock.install();
    await button(person, 'Disable').click();
    const undo = page.getByRole('status').getByRole('button', { name: 'Undo' });
    await undo.waitFor();
    // Real time passes too.
    await page.clock.runFor(8_000);
    expect(await undo.count()).toBe(1);
    await page.clock.runFor(2_500);
    await eventually(async () => (await undo.count()) === 0);
  });
});
