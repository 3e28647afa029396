import { describe, expect, it } from 'vitest';
import { setDomain } from '#lib/public/pages/change-page.ts';
import { axeViolations } from '#test/support/axe.ts';
import { clientOf, newTenant } from '#test/support/client.ts';
import { got, newEntity } from '#test/support/fleet.ts';
import { startService, tenantOf } from '#test/support/service.ts';
import { browserAndService } from './browser-and-service.ts';
import { binary } from './chromium.ts';
import { button } from './person.ts';
import { personAt } from './places.ts';

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNkYAAAAAYAAjCB0C8AAAAASUVORK5CYII=';

describe.skipIf(!binary)('the editor of status pages in a browser', () => {
  const world = browserAndService();

  it('creates a page, previews it, and keeps its components when they are renamed', async () => {
    const admin = await newTenant();
    const entity = await newEntity(admin);
    const person = await personAt(world.browser, world.url, admin.key, '/status-pages');
    const { page, complaints } = person;
    const dialog = page.getByRole('dialog');
    await button(person, 'New status page').press('Enter');
    await dialog.getByLabel(/^Title/).fill('Acme status');
    await dialog.getByLabel(/^Address/).fill(`acme-${Date.now()}`);
    await button(person, 'Add').press('Enter');
    const row = dialog.locator('.field.rows > ol > li').first();
    await row.getByLabel(/^Name for visitors/).fill('Checkout');
    await row.getByRole('combobox', { name: 'Entity' }).fill(entity.name);
    await page.getByRole('option', { name: entity.name }).first().click();
    await button(person, 'Create status page').press('Enter');

    const preview = page.frameLocator('iframe[title="Preview"]');
    await preview.getByRole('heading', { name: 'Checkout' }).waitFor();
    const [made] = got(await admin.get('/v1/status-pages'), 200);
    const [{ components }] = made.groups;
    expect(components).toMatchObject([{ name: 'Checkout', entity_id: entity.id }]);

    const rows = page.locator('.field.rows > ol > li');
    await rows
      .first()
      .getByLabel(/^Name for visitors/)
      .fill('Payments');
    await page.getByLabel(/^Visibility/).selectOption('public');
    // The preview follows the form before it is saved, and ignores input that cannot be saved.
    await preview.getByRole('heading', { name: 'Payments' }).waitFor();
    await page.getByLabel(/^Address/).fill('Not valid');
    await page.getByText(/The preview shows earlier settings/).waitFor();
    await page.getByLabel(/^Address/).fill(made.slug);
    await page.getByLabel(/^Title/).fill('Acme today');
    await preview.getByRole('heading', { name: 'Acme today' }).waitFor();
    expect(got(await admin.get(`/v1/status-pages/${made.id}`), 200)).toEqual(made);
    await button(person, 'Save status page').press('Enter');
    await page.getByRole('heading', { name: 'Acme today' }).waitFor();
    const changed = got(await admin.get(`/v1/status-pages/${made.id}`), 200);
    expect(changed).toMatchObject({
      visibility: 'public',
      groups: [{ components: [{ id: components[0].id, name: 'Payments', entity_id: entity.id }] }],
    });
    await page.getByRole('link', { name: 'Open page' }).waitFor();

    const upload = (name: string, buffer: Buffer) =>
      page.getByLabel(/^Image/).setInputFiles({ name, mimeType: 'image/png', buffer });
    await upload('logo.png', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'));
    await page.getByText(/is not a PNG, JPEG or WebP image/).waitFor();
    await upload('logo.png', Buffer.from(PNG, 'base64'));
    await preview.locator('img.logo').waitFor();
    await button(person, 'Remove logo').press('Enter');
    await preview.locator('img.logo').waitFor({ state: 'detached' });
    expect(await axeViolations(page)).toEqual([]);

    await button(person, 'Delete').press('Enter');
    await dialog.getByRole('button', { name: 'Delete status page' }).press('Enter');
    await page.getByText('No status pages').waitFor();
    // The browser reports each rejected request of the preview and the upload.
    expect(complaints.filter((one) => !/status of 400/.test(one))).toEqual([]);
  });

  it('shows the domain that the operator has set, and links to it', async () => {
    const service = await startService();
    try {
      const { id: tenant, key } = await tenantOf(service);
      const admin = clientOf(service.url, key);
      const settings = { slug: 'acme', title: 'Acme', visibility: 'public' };
      const { id } = got(await admin.post('/v1/status-pages', settings), 201);
      await setDomain({ ...service, origin: 'operator', tenant }, id, 'status.acme.example');
      const { page, complaints } = await personAt(world.browser, service.url, key, `/status-pages/${id}`);
      await page.getByText('Domain: status.acme.example, set by the operator.').waitFor();
      const link = page.getByRole('link', { name: 'Open page' });
      expect(await link.getAttribute('href')).toBe('https://status.acme.example');
      expect(await page.getByLabel(/domain/i).count()).toBe(0);
      expect(await axeViolations(page)).toEqual([]);
      expect(complaints).toEqual([]);
      await page.context().close();
    } finally {
      await service.stop();
    }
  });

  it('adds a subscriber of one component, shows its deliveries, and removes it', async () => {
    const admin = await newTenant();
    const components = [{ name: 'Checkout' }, { name: 'Search' }];
    const settings = {
      slug: `subscribed-${Date.now()}`,
      title: 'Acme',
      visibility: 'public',
      groups: [{ components }],
    };
    const made = got(await admin.post('/v1/status-pages', settings), 201);
    const path = `/v1/status-pages/${made.id}/subscribers`;
    const person = await personAt(world.browser, world.url, admin.key, `/status-pages/${made.id}`);
    const { page, complaints } = person;
    const dialog = page.getByRole('dialog');
    await page.getByText(/^No subscribers/).waitFor();
    await button(person, 'Add subscriber').press('Enter');
    await dialog.getByLabel('Type').waitFor();
    expect(await dialog.getByLabel('Type').locator('option').allTextContents()).toEqual([
      'Webhook',
      'Slack',
      'Discord',
    ]);
    await dialog.getByLabel('Type').selectOption('slack');
    const url = dialog.getByLabel(/^(Webhook )?URL/i).first();
    await url.fill('no address');
    await dialog.getByLabel('Search').check();
    expect(await axeViolations(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Add subscriber' }).press('Enter');
    await dialog.getByText(/must be an absolute URL|must start with/).waitFor();
    await url.fill('https://hooks.slack.com/services/T0/B0/secret');
    await dialog.getByRole('button', { name: 'Add subscriber' }).press('Enter');
    await dialog.waitFor({ state: 'detached' });
    const row = page.getByRole('listitem').filter({ hasText: 'Slack hooks.slack.com' });
    await row.getByText('Search').waitFor();
    const [subscriber] = got(await admin.get(path), 200);
    expect(subscriber).toMatchObject({ channel_type: 'slack', component_ids: [made.groups[0].components[1].id] });

    await row.getByRole('link', { name: 'Deliveries' }).press('Enter');
    await page.getByText('No matching deliveries').waitFor();
    await page.goBack();
    await row.getByRole('button', { name: 'Remove Slack hooks.slack.com' }).press('Enter');
    await dialog.getByRole('button', { name: 'Remove subscriber' }).press('Enter');
    await page.getByText(/^No subscribers/).waitFor();
    expect(got(await admin.get(path), 200)).toEqual([]);
    expect(complaints.filter((one) => !/status of 400/.test(one))).toEqual([]);
  });
});
