import { describe, expect, it } from 'vitest';
import { newTenant } from '#test/support/client.ts';
import { eventually } from '#test/support/eventually.ts';
import { got } from '#test/support/fleet.ts';
import { browserAndService } from './browser-and-service.ts';
import { binary } from './chromium.ts';
import { report, slackChannel, watchedEntity } from './incident-world.ts';
import { button, enterDuration } from './person.ts';
import { arrive, personAt } from './places.ts';

describe.skipIf(!binary)('escalation in a browser', () => {
  const world = browserAndService();

  async function team() {
    const admin = await newTenant();
    const { checks } = await watchedEntity(admin, 'web', 'Web shop', ['checkout']);
    const check = checks[0]!;
    await slackChannel(admin, check, 'https://127.77.0.9/first');
    const channel = { name: 'Team lead', channel_type: 'slack', config: { url: 'https://127.77.0.9/lead' } };
    const lead = got(await admin.post('/v1/notify/channels', channel), 201).id as string;
    const person = await personAt(world.browser, world.url, admin.key, '/alerts/defaults');
    return { ...person, admin, check, lead };
  }

  it('edits the steps of the default policy, and shows them on the check', async () => {
    const person = await team();
    const { page, admin, check, lead } = person;
    await button(person, 'Change defaults').click();
    await button(person, 'Add').click();
    await button(person, 'Add').click();
    const steps = page.locator('.field.rows > ol > li');
    await enterDuration(steps.nth(0), 'After', '15', 'min');
    await steps.nth(0).getByLabel('Team lead').check();
    await enterDuration(steps.nth(1), 'After', '10', 'min');
    await button(person, 'Save defaults').click();
    // The error about missing channels is shown at the field of the channels.
    await eventually(async () => (await steps.nth(1).locator('fieldset .field-error').count()) === 1);
    await steps.nth(1).getByLabel('Team lead').check();
    await button(person, 'Save defaults').click();
    await steps
      .nth(1)
      .getByText(/must be more than the 900/)
      .waitFor();
    await steps
      .nth(1)
      .locator('fieldset')
      .getByText(/is in step 1 already/)
      .waitFor();
    await button(person, 'Remove 2').click();
    await button(person, 'Save defaults').click();
    await page.getByText('after 15 min: Team lead').waitFor();
    const escalation = [{ after_seconds: 900, channel_ids: [lead] }];
    expect((await admin.get('/v1/notify/policy')).body).toMatchObject({ escalation });

    await arrive(person, `/checks/${check}`);
    await page.getByText('from step 1, after 15 min').waitFor();
    await button(person, 'Change policy').click();
    await enterDuration(page, 'Cooldown', '1', 'min');
    await button(person, 'Save policy').click();
    await page.getByText('At most one alert every 1 min').waitFor();
    const { inherited } = (await admin.get(`/v1/checks/${check}/policy`)).body;
    expect(inherited).toContain('escalation');

    await button(person, 'Change policy').click();
    await steps
      .nth(0)
      .getByLabel(/^Slack 127/)
      .check();
    await button(person, 'Save policy').click();
    await page.getByText(/after 15 min: Slack 127.77.0.9 and Team lead/).waitFor();
    expect(await page.getByText('from step 1, after 15 min').count()).toBe(2);
  });

  it('silences an entity, explains the alert that is not sent, and lifts the silence', async () => {
    const person = await team();
    const { page, admin, check } = person;
    await arrive(person, '/entities/shop/web');
    await button(person, 'Silence').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel(/^Reason/).fill('a move');
    await dialog.getByRole('button', { name: 'Silence' }).click();
    await page.getByText('Silenced: no alerts of its checks are sent.').waitFor();
    expect((await admin.get('/v1/blueprints/shop/entities/web')).body).toMatchObject({
      ...{ silenced: true, silenced_until: expect.any(String), silence_reason: 'a move' },
    });
    await report(admin, check, 'card declined');
    await arrive(person, `/checks/${check}`);
    await page.getByText('Explain: result of each rule').first().click();
    await page.getByText(/its entity is silenced until .*: a move/).waitFor();
    await arrive(person, '/entities/shop/web');
    await button(person, 'Lift silence').click();
    await button(person, 'Silence').waitFor();
    expect((await admin.get('/v1/blueprints/shop/entities/web')).body.silenced).toBe(false);
  });
});
