import { describe, expect, it } from 'vitest';
import { axeViolations } from '#test/support/axe.ts';
import { newTenant } from '#test/support/client.ts';
import { eventually } from '#test/support/eventually.ts';
import { got } from '#test/support/fleet.ts';
import { browserAndService } from './browser-and-service.ts';
import { binary } from './chromium.ts';
import { expectNoSidewaysScroll } from './entity-world.ts';
import { watchedEntity } from './incident-world.ts';
import { button, enterDuration } from './person.ts';
import { arrive, personAt } from './places.ts';

const HOUR = 3_600_000;
const fromNow = (hours: number) => new Date(Date.now() + hours * HOUR).toISOString();

describe.skipIf(!binary)('maintenance windows in a browser', () => {
  const world = browserAndService();

  async function openWindows(place = '/alerts/windows') {
    const admin = await newTenant();
    const shop = await watchedEntity(admin, 'web', 'Web shop', ['checkout']);
    const person = await personAt(world.browser, world.url, admin.key, place);
    const windows = async () => got(await admin.get('/v1/windows'), 200);
    return { ...person, admin, shop, windows, dialog: person.page.getByRole('dialog') };
  }

  it('creates, edits and deletes a window, with a preview of its occurrences', async () => {
    const person = await openWindows();
    const { page, dialog, windows, complaints } = person;
    await button(person, 'New window').click();
    await dialog.getByLabel(/^Name/).fill('Patches');
    await dialog.getByLabel(/^Occurrence/).selectOption('recurring');
    await dialog.getByLabel(/^Start \(cron\)/).fill('30 2 * *');
    await dialog.getByText('has 4 fields').waitFor();
    await dialog.getByLabel(/^Start \(cron\)/).fill('30 2 * * *');
    await dialog.getByLabel(/^Time zone/).fill('Europe/Berlin');
    await enterDuration(dialog, 'Duration', '25', 'h');
    await eventually(async () => (await dialog.locator('.coming li').count()) === 5);
    await button(person, 'Create window').click();
    await eventually(async () =>
      /longer than the 86400 seconds/.test(
        (await dialog.locator('.field', { hasText: 'Duration' }).textContent()) ?? '',
      ),
    );
    await enterDuration(dialog, 'Duration', '90', 'min');
    await dialog.getByRole('combobox', { name: 'Add entity' }).fill('Web');
    await page.getByRole('option', { name: /Web shop/ }).click();
    await dialog.getByText('Alerts of Web shop are held while the window is open.').waitFor();
    const preview = await dialog.locator('.coming li').first().textContent();
    await button(person, 'Create window').click();
    await page.getByRole('link', { name: 'Patches' }).click();
    await page.getByRole('heading', { level: 1, name: 'Patches' }).waitFor();
    expect(await page.locator('.coming li').first().textContent()).toBe(preview);
    const [made] = await windows();
    expect(made).toMatchObject({ cron: '30 2 * * *', time_zone: 'Europe/Berlin', duration_seconds: 5400, open: false });

    await button(person, 'Edit').click();
    await dialog.getByLabel(/^Note/).fill('Kernel');
    await button(person, 'Save window').click();
    await page.getByText('Kernel', { exact: true }).waitFor();
    const [changed] = await windows();
    expect({ ...changed, note: '', updated_at: '' }).toEqual({ ...made, updated_at: '' });
    await button(person, 'Delete').click();
    await button(person, 'Delete window').click();
    await page.getByText('No maintenance windows').waitFor();
    expect(complaints.filter((one) => !/400/.test(one))).toEqual([]);
  });

  it('lists open windows first, and ends an open one early', async () => {
    const person = await openWindows();
    const { page, admin, windows } = person;
    const once = { scope: { all: true }, starts_at: fromNow(-2), ends_at: fromNow(2) };
    got(await admin.post('/v1/windows', { ...once, name: 'Later', starts_at: fromNow(1) }), 201);
    got(await admin.post('/v1/windows', { ...once, name: 'Now' }), 201);
    await page.reload();
    const rows = page.getByRole('table', { name: 'Maintenance windows' }).locator('tbody tr');
    await rows.nth(1).waitFor();
    expect(await rows.allTextContents()).toEqual([
      expect.stringMatching(/Open.*Now.*all checks/s),
      expect.stringMatching(/Planned.*Later/s),
    ]);
    await button(person, 'End Now now').click();
    await button(person, 'End window').click();
    await rows.filter({ hasText: /Over.*Now/s }).waitFor();
    expect((await windows()).map(({ open }: { open: boolean }) => open)).toEqual([false, false]);
  });

  it('shows a calendar with keyboard support, and a list on a phone', async () => {
    const person = await openWindows();
    const { page, admin } = person;
    const daily = {
      name: 'Backup',
      cron: '0 12 * * *',
      time_zone: 'UTC',
      duration_seconds: 3600,
      scope: { all: true },
    };
    got(
      await admin.post('/v1/windows', { ...daily, from: '2026-01-10T00:00:00Z', until: '2036-01-01T00:00:00Z' }),
      201,
    );
    await arrive(person, '/alerts/windows?view=calendar&month=2026-01');
    await page.reload();
    const bars = page.getByRole('link', { name: /Backup/ });
    // The occurrences from 10 January to 1 February, the last day of the last week shown.
    await eventually(async () => (await bars.count()) === 23);
    await page.getByRole('button', { name: 'Next month' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'February 2026' }).waitFor();
    expect(page.url()).toContain('month=2026-02');
    expect(await axeViolations(page)).toEqual([]);
    await page.setViewportSize({ width: 390, height: 844 });
    await expectNoSidewaysScroll(person);
    await bars
      .first()
      .getByText(/12:00 to 13:00|\d\d:00 to \d\d:00/)
      .waitFor();
    await bars.first().focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Backup' }).waitFor();
  });
});
