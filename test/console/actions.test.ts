import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { axeViolations } from '#test/support/axe.ts';
import { type Client, clientOf, newTenant } from '#test/support/client.ts';
import { eventually } from '#test/support/eventually.ts';
import { atNight } from './at-night.ts';
import { browserAndService } from './browser-and-service.ts';
import { binary } from './chromium.ts';
import { addToMap, button, enterDuration, expectDisabled, unfold } from './person.ts';
import { personAt } from './places.ts';

/** Fake pipeline that actions call. The tests send its reports. */
type Pipeline = {
  url: string;
  /** Received requests, oldest first. */
  calls: { path: string; body: string; authorization: string | undefined }[];
  close(): Promise<void>;
};

async function startPipeline(): Promise<Pipeline> {
  const calls: Pipeline['calls'] = [];
  const server = createServer(async (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { authorization } = request.headers;
    calls.push({ path: request.url ?? '', body: Buffer.concat(chunks).toString(), authorization });
    response.writeHead(202, { 'content-type': 'application/json' }).end('{"queue": "<b>north</b>"}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.77.0.3', resolve));
  return {
    url: `http://127.77.0.3:${(server.address() as AddressInfo).port}`,
    calls,
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

const linesFrom = (first: number, count: number) =>
  Array.from({ length: count }, (_, i) => `step ${first + i} is done`);

describe.skipIf(!binary)('action pages in a browser', () => {
  const world = browserAndService();
  let pipeline: Pipeline;
  beforeAll(async () => {
    pipeline = await startPipeline();
  });
  afterAll(async () => {
    await pipeline?.close();
  });

  /** Signs in with a key and opens a page. @param key default: the key of the admin */
  async function at(place: string, admin: Client, key = admin.key) {
    const person = await personAt(world.browser, world.url, key, place);
    const open = async (to: string) => {
      await person.page.evaluate(`location.hash = '#${to}'`);
      await person.page.getByRole('heading', { level: 1 }).waitFor();
    };
    return { ...person, open, dialog: person.page.getByRole('dialog') };
  }

  async function newRestartAction(admin: Client): Promise<{ id: string }> {
    const made = await admin.post('/v1/actions', {
      name: 'Restart <script>',
      url: `${pipeline.url}/restart/{{service}}?of={{entity_name}}`,
      headers: { Authorization: 'Bearer s3cret-of-ci' },
      body_template: '{"run": "{{execution_id}}", "why": "{{reason}}"}',
      trigger_type: 'manual',
    });
    expect(made).toMatchObject({ status: 201 });
    return made.body;
  }

  it('creates, edits without revealing a secret, and deletes an action', async () => {
    const admin = await newTenant();
    await admin.post('/v1/blueprints', { slug: 'service', name: 'Service', fields: [] });
    const entity = await admin.post('/v1/blueprints/service/entities', { slug: 'shop', name: 'Web shop' });
    const check = await admin.post('/v1/checks', { entity_id: entity.body.id, check_type: 'push', name: 'nightly' });
    const { page, dialog, complaints } = await at('/actions', admin);
    await page.getByText('No actions yet').waitFor();
    await button({ page }, 'New action').click();
    await dialog.getByLabel(/^Name/).fill('Roll back');
    await dialog.getByLabel(/^URL/).fill('ftp://ci.example.com');
    await dialog.getByRole('button', { name: 'Create' }).click();
    await dialog.locator('.field-error').first().waitFor();
    expect(await dialog.getByLabel(/^URL/).getAttribute('aria-invalid')).toBe('true');
    await eventually(() => page.evaluate<boolean>(`document.activeElement?.getAttribute('aria-invalid') === 'true'`));
    await dialog.getByLabel(/^URL/).fill(`${pipeline.url}/roll-back`);
    await unfold(dialog, 'Request');
    await addToMap(dialog, 'Headers', 'Authorization', 'Bearer s3cret-of-ci');
    await addToMap(dialog, 'Headers', 'X-Team', 'shop');
    const triggers = ['manual only', 'state change of a check', 'schedule'];
    expect(
      await dialog
        .getByLabel(/^Trigger/)
        .locator('option')
        .allTextContents(),
    ).toEqual(triggers);
    await dialog.getByLabel(/^Trigger/).selectOption('state_change');
    await dialog.getByRole('combobox', { name: /^Check/ }).fill('shop night');
    await page.getByRole('option', { name: /nightly/ }).click();
    expect(await dialog.getByLabel(/^State/).inputValue()).toBe('down');
    await dialog.getByLabel(/^Verify and repeat/).check();
    await enterDuration(dialog, 'Time between attempts', '2', 'min');
    await unfold(dialog, 'Guards of the remediation');
    await dialog.getByLabel(/^Lock/).fill('not a lock');
    expect(await axeViolations(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Create' }).click();
    await dialog.locator('.field', { hasText: 'Lock' }).locator('.field-error').waitFor();
    await dialog.getByLabel(/^Lock/).fill('shop');
    await dialog.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('heading', { name: 'Roll back', level: 1 }).waitFor();
    await page.getByText('on a transition to down of').waitFor();
    const [action] = (await admin.get('/v1/actions')).body;
    expect(action).toMatchObject({ trigger_type: 'state_change', check_id: check.body.id, trigger_to_state: 'down' });
    expect(action.remediation).toMatchObject({ max_attempts: 3, cooldown_seconds: 120, lock: 'shop' });

    // A new header is added, and the stored secret is kept.
    await button({ page }, 'Edit').click();
    await dialog.locator('summary', { hasText: 'Request' }).getByText('1 set').waitFor();
    await unfold(dialog, 'Request');
    const headers = dialog.getByRole('group', { name: 'Headers' });
    expect(await headers.getByLabel('Value').first().inputValue()).toBe('********');
    await headers.getByRole('button', { name: 'Remove 2' }).click();
    await addToMap(dialog, 'Headers', 'X-Reason', 'drill');
    await dialog.getByLabel(/^Verify and repeat/).uncheck();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Authorization and X-Reason').waitFor();
    expect((await admin.get(`/v1/actions/${action.id}`)).body.remediation).toBeNull();
    await admin.post(`/v1/actions/${action.id}/run`, {});
    expect(pipeline.calls.at(-1)).toMatchObject({ path: '/roll-back', authorization: 'Bearer s3cret-of-ci' });

    await button({ page }, 'Delete').click();
    await dialog.getByText('Its executions and their logs').waitFor();
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('No actions yet').waitFor();
    expect(complaints).toEqual([]);
  });

  it('runs an action with variables and follows the log of the pipeline', async () => {
    const admin = await newTenant();
    const action = await newRestartAction(admin);
    const made = await admin.post('/v1/auth/keys', { label: 'ci', scopes: ['push'] });
    const ci = clientOf(world.url, made.body.key);
    const { page, complaints } = await at(`/actions/${action.id}`, admin);
    await page.getByText('No executions yet').waitFor();
    await page.getByLabel('service').fill('a b/c');
    await page.getByLabel('reason').fill('a "quoted" reason');
    await button({ page }, 'Run now').click();
    await page.getByRole('heading', { name: 'Execution of Restart <script>' }).waitFor();
    const id = page.url().split('/').at(-1)!;
    const call = pipeline.calls.at(-1)!;
    expect(call.path).toBe('/restart/a%20b%2Fc?of={{entity_name}}');
    expect(JSON.parse(call.body)).toEqual({ run: id, why: 'a "quoted" reason' });
    await page.getByText('{"queue": "<b>north</b>"}').waitFor();

    const report = (body: object) => ci.post(`/v1/actions/executions/${id}/events`, body);
    const lines = page.getByRole('log').getByRole('listitem');
    await report({ status: 'running', logs: ['\u001b[31mERROR\u001b[0m disk <i>full</i>', ...linesFrom(1, 80)] });
    await eventually(async () => (await lines.count()) === 81);
    expect(await lines.first().locator('.text').textContent()).toBe('ERROR disk <i>full</i>');
    expect(await lines.first().locator('.level').textContent()).toBe('error');
    await page.getByText('Running').first().waitFor();
    await page.getByText('step 80 is done').waitFor();
    const isInView = (text: string) =>
      page.evaluate(`(() => {
        const box = document.querySelector('.log').getBoundingClientRect();
        const line = [...document.querySelectorAll('.log li')].find((one) => one.textContent.endsWith(${JSON.stringify(text)}));
        const { top, bottom } = line.getBoundingClientRect();
        return top >= box.top - 1 && bottom <= box.bottom + 1;
      })()`);
    await eventually(() => isInView('step 80 is done') as Promise<boolean>);

    // Scrolling up pauses the log until the user follows it again.
    await page.evaluate(`document.querySelector('.log').scrollTop = 0`);
    await page.getByText('Paused').waitFor();
    await report({ logs: linesFrom(81, 20) });
    await page.getByText('20 new lines').waitFor({ timeout: 20_000 });
    expect(await isInView('step 1 is done')).toBe(true);
    await button({ page }, 'Follow').click();
    await eventually(() => isInView('step 100 is done') as Promise<boolean>);
    await report({ status: 'succeeded', logs: ['all done'] });
    await page.getByText('Succeeded').first().waitFor({ timeout: 20_000 });
    await button({ page }, 'Reload').waitFor();
    expect(await lines.last().textContent()).toContain('all done');
    expect(complaints).toEqual([]);
  });

  it('shows the last execution in the list and all executions on the page', async () => {
    const admin = await newTenant();
    const action = await newRestartAction(admin);
    await admin.post(`/v1/actions/${action.id}/run`, { vars: { service: 'shop' } });
    await admin.post(`/v1/actions/${action.id}/run`, { vars: { service: '..' } });
    const { page, open } = await at('/actions', admin);
    const row = page.getByRole('table', { name: 'Actions' }).getByRole('row', { name: 'Restart <script>' });
    await row.getByText('Blocked').waitFor();
    await open(`/actions/${action.id}`);
    const runs = page.getByRole('table', { name: 'Executions' }).locator('tbody tr');
    await runs.nth(1).waitFor();
    expect(await runs.nth(1).textContent()).toMatch(/Success.*manually.*202/);
  });

  it('disables buttons for a read-only key, with the reason', async () => {
    const admin = await newTenant();
    const action = await newRestartAction(admin);
    const viewer = await admin.post('/v1/auth/keys', { label: 'look', is_read_only: true });
    const person = await at(`/actions/${action.id}`, admin, viewer.body.key);
    await button(person, 'Run now').waitFor();
    for (const name of ['Run now', 'Edit', 'Delete']) await expectDisabled(person, name, /read-only/);
    await person.open('/executions/exe_00000000000000000000000000');
    await person.page.getByText(/does not exist|not found|There is no/i).waitFor();
  });

  atNight('fits a phone', async () => {
    const admin = await newTenant();
    const action = await newRestartAction(admin);
    const run = await admin.post(`/v1/actions/${action.id}/run`, { vars: { service: 'shop' } });
    const logs = ['x'.repeat(500), 'warn: careful', ...linesFrom(1, 10)];
    await admin.post(`/v1/actions/executions/${run.body.id}/events`, { status: 'failed', logs });
    const { page, open } = await at('/actions', admin);
    await page.setViewportSize({ width: 390, height: 844 });
    for (const place of ['/actions', `/actions/${action.id}`, `/executions/${run.body.id}`]) {
      await open(place);
      await eventually(async () => (await page.locator('.loading').count()) === 0);
      const wide = await page.evaluate('document.documentElement.scrollWidth');
      expect(`${place}: ${wide}`).toBe(`${place}: 390`);
    }
  });
});
