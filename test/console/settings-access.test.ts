import { describe, expect, it } from 'vitest';
import { openBrowserContext } from '#test/support/browser.ts';
import { clientOf, newTenant } from '#test/support/client.ts';
import { eventually } from '#test/support/eventually.ts';
import { browserAndService } from './browser-and-service.ts';
import { binary } from './chromium.ts';
import { button, useLink, waitForPage } from './person.ts';
import { choose, closeDialog, dialogText, newMember, openTab, row, settingsAt } from './settings.ts';

describe.skipIf(!binary)('key and team settings in a browser', () => {
  const world = browserAndService();

  it('shows the tag "you" completely on a phone', async () => {
    const admin = await newTenant();
    const { page } = await settingsAt(world.browser, world.url, 'team', admin);
    await page.setViewportSize({ width: 390, height: 844 });
    const table = page.getByRole('table', { name: 'Team' });
    const tag = table.getByText('you', { exact: true });
    const cell = table.locator('td', { has: page.getByText('you', { exact: true }) });
    const [inner, outer] = [await tag.boundingBox(), await cell.boundingBox()];
    expect(inner!.x + inner!.width).toBeLessThanOrEqual(outer!.x + outer!.width);
  });

  it('creates a key that is shown once and restricted to a check', async () => {
    const admin = await newTenant();
    await admin.post('/v1/blueprints', { slug: 'service', name: 'Service' });
    const entity = await admin.post('/v1/blueprints/service/entities', { slug: 'shop', name: 'Web shop' });
    const check = { entity_id: entity.body.id, check_type: 'push' };
    const nightly = await admin.post('/v1/checks', { ...check, name: 'nightly' });
    const other = await admin.post('/v1/checks', { ...check, name: 'other' });
    const { page, complaints } = await settingsAt(world.browser, world.url, 'keys', admin);
    await page.getByRole('button', { name: 'New key' }).click();
    await page.getByLabel('Permissions').selectOption('selected scopes');
    await page.getByRole('button', { name: 'Create key' }).click();
    // Errors are shown at the fields, and the choices stay.
    await eventually(async () => (await page.locator('.field-error').count()) === 2);
    await page.getByLabel(/^Label/).fill('backup job');
    await page.getByRole('checkbox', { name: /^push/ }).check();
    await page.getByRole('combobox', { name: 'Add check' }).fill('nightly');
    await page.getByRole('option', { name: /nightly/ }).click();
    await page.getByRole('button', { name: /^Remove nightly, Web shop/ }).waitFor();
    await page.getByRole('button', { name: 'Create key' }).click();
    const key = await dialogText(page, 'Key');
    expect(await dialogText(page, 'Example request')).toContain(`/v1/checks/${nightly.body.id}/heartbeat`);
    const job = clientOf(world.url, key);
    expect(await job.post(`/v1/checks/${nightly.body.id}/heartbeat`)).toMatchObject({ status: 201 });
    expect(await job.post(`/v1/checks/${other.body.id}/heartbeat`)).toMatchObject({ status: 403 });
    await closeDialog(page);
    await page.reload();
    await row(page, 'API keys', 'backup job').getByText('nightly').waitFor();
    expect(await page.content()).not.toContain(key);
    expect(complaints).toEqual([]);
  });

  it('renames a key, sets its expiry, rotates it, and deletes it', async () => {
    const admin = await newTenant();
    const made = (await admin.post('/v1/auth/keys', { label: 'old', scopes: ['read'] })).body;
    const { page } = await settingsAt(world.browser, world.url, 'keys', admin);
    await choose(page, 'old', 'Edit…');
    await page
      .getByRole('dialog')
      .getByLabel(/^Label/)
      .fill('dashboard');
    await page
      .getByRole('dialog')
      .getByLabel(/^Expires/)
      .fill('2035-01-31T10:00');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await row(page, 'API keys', 'dashboard').waitFor();
    const changed = (await admin.get('/v1/auth/keys')).body.find(({ id }: { id: string }) => id === made.id);
    expect(changed).toMatchObject({ label: 'dashboard', expires_at: expect.stringMatching(/^2035-01-31T/) });

    await choose(page, 'dashboard', 'Rotate…');
    await page.getByLabel('Keep the old key for').selectOption('an hour');
    await page.getByRole('dialog').getByRole('button', { name: 'Rotate' }).click();
    const next = clientOf(world.url, await dialogText(page, 'Key'));
    expect((await next.get('/v1/me')).body.key).toMatchObject({ label: 'dashboard', scopes: ['read'] });
    expect(await clientOf(world.url, made.key).get('/v1/me')).toMatchObject({ status: 200 });
    await closeDialog(page);
    await row(page, 'API keys', 'rotated').waitFor();

    await choose(page, 'dashboard', 'Delete…');
    await page.getByRole('dialog').getByRole('button', { name: 'Delete dashboard' }).click();
    await eventually(async () => (await row(page, 'API keys', 'dashboard').count()) === 1);
    expect(await next.get('/v1/me')).toMatchObject({ status: 401 });
  });

  it('invites a member by link, changes the role, and removes the member with all credentials', async () => {
    const admin = await newTenant();
    const { page } = await settingsAt(world.browser, world.url, 'team', admin);
    await page.getByLabel(/^E-mail address/).fill('ben@example.com');
    await page.getByLabel('Role', { exact: true }).selectOption('viewer');
    await button({ page }, 'Create invitation').click();
    const link = await dialogText(page, 'Valid once');
    await closeDialog(page);
    await row(page, 'Team', 'ben@example.com').getByText('pending').waitFor();

    const ben = await openBrowserContext(world.browser);
    await ben.page.goto(link);
    await ben.page.getByLabel(/^Your name/).fill('Ben');
    await button(ben, 'Accept').click();
    await waitForPage(ben, 'signed-in');

    await openTab(page, 'keys');
    await openTab(page, 'team');
    await page.getByLabel('Role of Ben').selectOption('responder');
    await page.getByText('Ben is now a responder.').waitFor();
    const storedBen = async () =>
      (await admin.get('/v1/settings/users')).body.find(({ name }: { name: string }) => name === 'Ben');
    expect(await storedBen()).toMatchObject({ role: 'responder' });

    // The last admin cannot be demoted.
    await page.getByLabel(/^Role of Test account/).selectOption('viewer');
    await page.getByText(/This is the last admin of the account/).waitFor();
    expect(await page.getByLabel(/^Role of Test account/).inputValue()).toBe('admin');

    await choose(page, 'Ben', 'Sign-in link…');
    await page.getByRole('checkbox', { name: /A device was lost/ }).check();
    await button({ page }, 'Create link').click();
    const signInLink = await dialogText(page, 'Valid once');
    await closeDialog(page);
    await ben.page.goto(world.url);
    await waitForPage(ben, 'sign-in');
    await useLink(ben, signInLink);
    await waitForPage(ben, 'signed-in');

    await choose(page, 'Ben', 'End all sessions…');
    await page.getByRole('dialog').getByRole('button', { name: 'End all sessions' }).click();
    await page.getByText('All sessions of Ben have ended.').waitFor();
    await ben.page.reload();
    await waitForPage(ben, 'sign-in');

    const ann = await newMember(world.url, admin, 'member', 'Ann');
    await openTab(page, 'keys');
    await openTab(page, 'team');
    await choose(page, 'Ann', 'Remove…');
    await page.getByRole('dialog').getByText('Deleted at once: 1 API key and all sessions').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove Ann' }).click();
    await page.getByText('Ann is no longer in the team.').waitFor();
    expect(await ann.get('/v1/me')).toMatchObject({ status: 401 });
  });
});
