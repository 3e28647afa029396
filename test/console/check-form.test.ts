import type { Locator } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { axeViolations } from '#test/support/axe.ts';
import { newTenant } from '#test/support/client.ts';
import { dialogueTarget } from '#test/support/dialogue-target.ts';
import { eventually } from '#test/support/eventually.ts';
import { got } from '#test/support/fleet.ts';
import { receiving } from '#test/support/receiving.ts';
import { browserAndService } from './browser-and-service.ts';
import { binary } from './chromium.ts';
import { button, unfold } from './person.ts';
import { personAt } from './places.ts';

describe.skipIf(!binary)('check form in a browser', () => {
  const world = browserAndService();
  const target = receiving();
  /** Opens the checks page of an account with one entity and no checks. */
  async function withAnEntity() {
    const admin = await newTenant();
    await admin.post('/v1/blueprints', { slug: 'service', name: 'Service' });
    const entity = got(await admin.post('/v1/blueprints/service/entities', { slug: 'web', name: 'Web shop' }), 201);
    const person = await personAt(world.browser, world.url, admin.key, '/checks');
    return { ...person, admin, entity };
  }

  it('creates a check after a settings test, and shows errors at the fields', async () => {
    const person = await withAnEntity();
    const { page, admin, entity } = person;
    await page.getByRole('link', { name: 'New check' }).click();
    await page.getByLabel(/^Target URL/).fill('ftp://nowhere');
    await button(person, 'Test settings').click();
    await page.locator('.field', { hasText: 'Target URL' }).locator('.field-error').waitFor();
    await page.getByLabel(/^Target URL/).fill(`${target().url}/new`);
    await page.getByLabel(/^Expected status/).fill('204');
    await button(person, 'Test settings').click();
    await page
      .locator('.test-result')
      .getByText(/expected status 204, got 200/)
      .waitFor();
    await page.locator('.test-result .tag', { hasText: /^status$/ }).waitFor();
    await page.getByLabel(/^Expected status/).fill('200');
    await button(person, 'Test settings').click();
    await page
      .locator('.test-result')
      .getByText(/OK.*status 200/)
      .waitFor();

    await button(person, 'Save check').click();
    await page.locator('.field', { hasText: 'Entity' }).locator('.field-error').waitFor();
    await page.reload();
    await page.getByRole('combobox', { name: /^Entity/ }).fill('shop');
    await page.getByRole('option', { name: /Web shop/ }).waitFor();
    await page.keyboard.press('Enter');
    expect(await page.getByLabel(/^Target URL/).inputValue()).toBe(`${target().url}/new`);
    await button(person, 'Save check').click();
    await page.getByRole('heading', { level: 1, name: `${target().url}/new` }).waitFor();
    const { body } = await admin.get(`/v1/checks?entity_id=${entity.id}`);
    expect(body).toHaveLength(1);
    expect(body.at(-1)).toMatchObject({ target_url: `${target().url}/new`, expected_status: 200 });
  });

  it('creates an entity from a name that does not match an existing entity', async () => {
    const person = await withAnEntity();
    const { page, admin } = person;
    await page.getByRole('link', { name: 'New check' }).click();
    await page.getByLabel(/^Target URL/).fill(`${target().url}/cart`);
    const entity = page.getByRole('combobox', { name: /^Entity/ });
    await entity.fill('Cart service');
    await page.getByRole('option', { name: /Create “Cart service”/ }).waitFor();
    await page.keyboard.press('Enter');
    await eventually(async () => /entity=ent_/.test(page.url()));
    expect(await entity.inputValue()).toBe('Cart service');
    await button(person, 'Save check').click();
    await page.getByRole('heading', { level: 1, name: `${target().url}/cart` }).waitFor();
    const made = got(await admin.get('/v1/blueprints/service/entities/cart-service'), 200);
    expect((await admin.get(`/v1/checks?entity_id=${made.id}`)).body).toHaveLength(1);

    await page.evaluate(`location.hash = '#/checks/new'`);
    await entity.fill('( )');
    await page.getByText('No matches').waitFor({ state: 'detached' });
    await page.keyboard.press('Enter');
    await page.locator('.field', { hasText: 'Entity' }).locator('.field-error', { hasText: 'slug' }).waitFor();
  });

  it('shows which secrets of a check are set, and clears them', async () => {
    const { page, admin, entity } = await withAnEntity();
    const settings = { entity_id: entity.id, check_type: 'http', target_url: `${target().url}/secret` };
    const config = { headers: { Authorization: 'Bearer s3cret' } };
    const { id } = got(await admin.post('/v1/checks', { ...settings, config }), 201);
    await page.evaluate(`location.hash = '#/checks/${id}/edit'`);
    await unfold(page, 'Request');
    await page.getByRole('group', { name: 'Headers' }).getByText('Empty: unchanged.').waitFor();
    expect(await page.getByLabel(/^Body$/).getAttribute('placeholder')).toBe('none');
    expect(await page.getByRole('button', { name: 'Clear body' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Clear headers' }).click();
    await page.getByText('Removed when you save.').waitFor();
    await page.getByRole('button', { name: 'Save check' }).click();
    await page.getByRole('heading', { level: 1, name: /secret/ }).waitFor();
    expect((await admin.get(`/v1/checks/${id}`)).body.config).not.toHaveProperty('headers');
  });

  it('edits the steps of a TCP check, and shows the transcript of a settings test', async () => {
    const person = await withAnEntity();
    const { page, admin, entity } = person;
    await using mail = await dialogueTarget({ greeting: '220 mx\r\n', answers: { NOOP: '250 OK\r\n' } });
    await page.evaluate(`location.hash = '#/checks/new?type=tcp&entity=${entity.id}'`);
    await page.getByLabel(/^Host/).fill(mail.host);
    await page.getByLabel(/^Port/).fill(String(mail.port));
    const steps = page.getByRole('group', { name: 'Steps' });
    for (const [i, [name, text]] of [
      ['Send', 'NOOP\\r\\n'],
      ['Expect', '250'],
      ['Expect', '220'],
    ].entries()) {
      await steps.getByRole('button', { name: 'Add' }).click();
      const step = steps.getByRole('listitem').nth(i);
      await step.getByLabel('Kind').selectOption({ label: name! });
      await step.getByLabel(name!, { exact: true }).fill(text!);
      expect(await step.getByRole('textbox').count()).toBe(1);
    }
    await steps.getByRole('button', { name: 'Move 3 up' }).click();
    await steps.getByRole('button', { name: 'Move 2 up' }).click();
    await button(person, 'Test settings').click();
    await page.getByText('Transcript').click();
    await page.locator('.test-result').getByText('250', { exact: false }).first().waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await button(person, 'Save check').click();
    await page.getByRole('heading', { level: 1 }).waitFor();
    const made = await eventually(async () => {
      const { body } = await admin.get(`/v1/checks?entity_id=${entity.id}`);
      return body.find(({ check_type }: { check_type: string }) => check_type === 'tcp');
    });
    expect(made.config.steps).toEqual([{ expect: '220' }, { send: 'NOOP\r\n' }, { expect: '250' }]);
  });

  it('edits assertions, and shows their results in a settings test', async () => {
    const person = await withAnEntity();
    const { page, admin, entity } = person;
    await page.getByRole('link', { name: 'New check' }).click();
    await page.getByLabel(/^Target URL/).fill(`${target().url}/said`);
    await page.getByRole('combobox', { name: /^Entity/ }).fill('shop');
    await page.getByRole('option', { name: /Web shop/ }).waitFor();
    await page.keyboard.press('Enter');
    await button(person, 'Add assertion').click();
    const first = page.getByRole('group', { name: 'Assertion 1' });
    const topOf = async (part: Locator) => Math.round(((await part.boundingBox())?.y ?? 0) / 40);
    const ofRow = [first.getByLabel('Source'), first.getByLabel('Severity'), button(person, 'Remove assertion 1')];
    expect(new Set(await Promise.all(ofRow.map(topOf))).size).toBe(1);
    await first.getByLabel('Operator').selectOption('one_of');
    await first.getByLabel(/^Values/).fill('6xx');
    await button(person, 'Test settings').click();
    await page.getByText(/1: value.*must be a status/).waitFor();
    await first.getByLabel(/^Values/).fill('204, 3xx');
    await button(person, 'Add assertion').click();
    const second = page.getByRole('group', { name: 'Assertion 2' });
    await second.getByLabel('Source').selectOption('latency_ms');
    await second.getByLabel('Operator').selectOption('at_least');
    await second.getByLabel('Value').fill('60000');
    await second.getByLabel('Severity').selectOption('warn');
    await button(person, 'Test settings').click();
    await page.locator('.assertion-results li', { hasText: 'status_code one of [204,"3xx"]: got 200' }).waitFor();
    await page
      .locator('.test-result')
      .getByText(/expected latency_ms to be at least 60000, got \d+/)
      .waitFor();
    await button(person, 'Remove assertion 1').click();
    await button(person, 'Save check').click();
    await page.getByRole('heading', { level: 1, name: `${target().url}/said` }).waitFor();
    const { body } = await admin.get(`/v1/checks?entity_id=${entity.id}`);
    expect(body.at(-1).config).toEqual({
      assertions: [{ source: 'latency_ms', operator: 'at_least', value: 60_000, severity: 'warn' }],
    });
  });
});
