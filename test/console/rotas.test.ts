import { describe, expect, it } from 'vitest';
import { axeViolations } from '#test/support/axe.ts';
import { newTenant } from '#test/support/client.ts';
import { got } from '#test/support/fleet.ts';
import { browserAndService } from './browser-and-service.ts';
import { binary } from './chromium.ts';
import { button } from './person.ts';
import { arrive, personAt } from './places.ts';

describe.skipIf(!binary)('on-call rotas in a browser', () => {
  const world = browserAndService();

  it('creates a rota with the keyboard, overrides it, replaces its calendar address, and selects it for an escalation', async () => {
    const admin = await newTenant();
    const channel = { name: 'Pager', channel_type: 'slack', config: { url: 'https://127.77.0.9/pager' } };
    got(await admin.post('/v1/notify/channels', channel), 201);
    const person = await personAt(world.browser, world.url, admin.key, '/on-call');
    const { page, complaints } = person;
    const dialog = page.getByRole('dialog');
    await button(person, 'New rota').press('Enter');
    await dialog.getByLabel(/^Name/).fill('Payments');
    for (const [i, name] of ['Ada', 'Grace'].entries()) {
      await button(person, 'Add').press('Enter');
      const row = dialog.locator('.field.rows > ol > li').nth(i);
      await row.getByLabel(/^Person/).fill(name);
      await row.getByLabel('Pager').press('Space');
    }
    await dialog.getByLabel(/^Time of day/).fill('00:00');
    await button(person, 'Create rota').press('Enter');
    const row = page.getByRole('table', { name: 'Rotas' }).locator('tbody tr');
    await row.getByText('Ada', { exact: true }).waitFor();
    // The message does not cover a button.
    const toast = (await page.locator('.toast').boundingBox())!;
    for (const one of await page.locator('main button').all()) {
      const { y = 0, height = 0, x = 0, width = 0 } = (await one.boundingBox()) ?? {};
      const isBeside = x + width < toast.x || toast.x + toast.width < x;
      expect(isBeside || y + height < toast.y).toBe(true);
    }

    await button(person, 'Add override').press('Enter');
    await dialog.getByLabel(/^Person/).selectOption('Grace');
    await button(person, 'Save override').press('Enter');
    await page.getByText('Grace, override').first().waitFor();
    const [rota] = got(await admin.get('/v1/rotas'), 200);
    expect(rota).toMatchObject({ name: 'Payments', overrides: [{ member: 'Grace' }] });
    expect(await axeViolations(page)).toEqual([]);

    const address = async () => {
      const text = (await dialog.locator('code').textContent()) ?? '';
      const open = await dialog.getByRole('link', { name: 'Open in calendar' }).getAttribute('href');
      expect(open).toBe(text.replace('http:', 'webcal:'));
      return text;
    };
    await button(person, 'Subscribe').press('Enter');
    const before = await address();
    expect(await (await fetch(before)).text()).toContain('SUMMARY:On call: Grace (Payments)');
    expect(await axeViolations(page)).toEqual([]);
    await button(person, 'Replace address').press('Enter');
    await page.getByText('The calendar has a new address.').waitFor();
    expect((await fetch(before)).status).toBe(404);
    expect((await fetch(await address())).status).toBe(200);
    await page.keyboard.press('Escape');

    await arrive(person, '/alerts/defaults');
    await button(person, 'Change defaults').click();
    await button(person, 'Add').click();
    await page.getByRole('textbox', { name: /^After/ }).fill('15');
    await page.getByLabel('Payments').check();
    await button(person, 'Save defaults').click();
    await page.getByText(/on call: Payments/).waitFor();
    expect(complaints).toEqual([]);
  });
});
