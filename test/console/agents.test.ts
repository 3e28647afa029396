import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { Client as McpClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { describe, expect, it } from 'vitest';
import { type Client, newTenant } from '#test/support/client.ts';
import { eventually } from '#test/support/eventually.ts';
import { browserAndService } from './browser-and-service.ts';
import { binary } from './chromium.ts';
import { button, expectDisabled, waitForMessage } from './person.ts';
import { personAt } from './places.ts';

describe.skipIf(!binary)('agents page in a browser', () => {
  const world = browserAndService();

  /** Opens the agents page. */
  async function atAgents(admin: Client, key = admin.key) {
    const person = await personAt(world.browser, world.url, key, '/agents');
    await person.page.getByRole('heading', { name: 'Connect an agent' }).waitFor();
    const code = (label: string) => person.page.getByRole('figure').filter({ hasText: label }).locator('code');
    return { ...person, code, dialog: person.page.getByRole('dialog') };
  }

  it('connects an agent with the shown key, snippet, and command', async () => {
    const admin = await newTenant();
    const { page, code, complaints } = await atAgents(admin);
    await button({ page }, 'Enable built-in tools').click();
    await page.getByRole('table', { name: 'Tools of Catalog operations' }).getByText('get_status_summary').waitFor();
    await page.getByLabel('Key name').fill('Claude of Ann');
    await page.getByLabel('run actions').check();
    await button({ page }, 'Create key').click();
    const key = (await code('API key, shown only once').textContent())!;
    const listed = (await admin.get('/v1/auth/keys')).body;
    expect(listed).toContainEqual(
      expect.objectContaining({ label: 'Claude of Ann', scopes: ['mcp', 'read', 'respond'], prefix: key.slice(0, 8) }),
    );

    // The command works in a shell as shown.
    const command = (await code('List the available tools').textContent())!;
    const { stdout } = await promisify(execFile)('sh', ['-c', command]);
    const names = JSON.parse(stdout).result.tools.map(({ name }: { name: string }) => name);
    expect(names).toContain('get_status_summary');

    // The configuration works in a client as shown.
    await page.getByRole('radio', { name: 'Cursor' }).check();
    const { mcpServers } = JSON.parse((await code('.cursor/mcp.json').textContent())!);
    const { url, headers } = mcpServers.fleetwatch;
    const client = new McpClient({ name: 'cursor', version: '1.0.0' });
    await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }) as never);
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(names);
    await client.close();

    await page.getByRole('radio', { name: 'Claude Code' }).check();
    expect(await code('Shell command').textContent()).toContain(
      `${world.url}/v1/mcp --header "Authorization: Bearer ${key}"`,
    );
    await page.reload();
    await button({ page }, 'Create key').waitFor();
    expect(await page.locator('body').textContent()).not.toContain(key);
    expect(complaints).toEqual([]);
  });

  it('adds a tool with the variables of its action as arguments, and removes it', async () => {
    const admin = await newTenant();
    const action = await admin.post('/v1/actions', {
      name: 'Restart',
      url: 'https://ci.example.com/restart/{{service}}',
      trigger_type: 'manual',
    });
    const { page, dialog, complaints } = await atAgents(admin);
    await button({ page }, 'New skill').click();
    await dialog.getByLabel(/^Slug/).fill('no slug');
    await dialog.getByLabel(/^Name/).fill('Runbook');
    await dialog.getByRole('button', { name: 'Create' }).click();
    await dialog.locator('.field-error').waitFor();
    await dialog.getByLabel(/^Slug/).fill('runbook');
    await dialog.getByRole('button', { name: 'Create' }).click();
    await page.getByText('No tools yet').waitFor();

    await button({ page }, 'Add tool').click();
    await dialog.getByLabel('Action').selectOption('Restart');
    expect(JSON.parse(await dialog.getByLabel(/^Arguments/).inputValue())).toMatchObject({ required: ['service'] });
    await dialog.getByLabel(/^Name/).fill('restart service');
    await dialog.getByRole('button', { name: 'Add' }).click();
    await dialog.getByText('must have 1 to 128 letters').waitFor();
    expect(await dialog.getByLabel(/^Name/).getAttribute('aria-invalid')).toBe('true');
    await dialog.getByLabel(/^Name/).fill('restart_service');
    await dialog.getByLabel(/^Description/).fill('Restarts a service by its name');
    await dialog.getByRole('button', { name: 'Add' }).click();
    const tools = page.getByRole('table', { name: 'Tools of Runbook' });
    await tools.getByRole('link', { name: 'Restart' }).waitFor();
    expect((await admin.get('/v1/skills/runbook')).body.tools).toMatchObject([
      { name: 'restart_service', action_id: action.body.id, inputSchema: { required: ['service'] } },
    ]);
    await tools.getByRole('button', { name: 'restart_service' }).click();
    await dialog.getByText('"service"').first().waitFor();
    await dialog.getByRole('button', { name: 'Edit' }).click();
    await dialog.getByLabel(/^Description/).fill('Restarts it');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await tools.getByText('Restarts it').waitFor();

    await button({ page }, 'Disable').click();
    await waitForMessage({ page }, /Runbook is disabled/);
    await button({ page }, 'Enable').waitFor();
    expect((await admin.get('/v1/skills/runbook')).body.enabled).toBe(false);

    await tools.getByRole('button', { name: 'restart_service' }).click();
    await dialog.getByRole('button', { name: 'Remove' }).click();
    await dialog.getByRole('heading', { name: 'Remove restart_service?' }).waitFor();
    await dialog.getByRole('button', { name: 'Remove' }).click();
    await page.getByText('No tools yet').waitFor();
    await page.getByLabel('More actions for Runbook').click();
    await button({ page }, 'Delete skill').click();
    await dialog.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByText('No skills yet').waitFor();
    expect(complaints).toEqual([]);
  });

  it('disables changes for a key with the scope read, and fits a phone', async () => {
    const admin = await newTenant();
    await admin.post('/v1/skills', { slug: 'runbook', name: 'Runbook', tools: [] });
    const made = await admin.post('/v1/auth/keys', { label: 'look', scopes: ['read'] });
    const person = await atAgents(admin, made.body.key);
    for (const name of ['New skill', 'Disable', 'Add tool', 'Create key']) {
      await expectDisabled(person, name, /This key has the scope read/);
    }
    await person.page.setViewportSize({ width: 390, height: 844 });
    await eventually(() => person.page.evaluate('document.documentElement.scrollWidth === 390') as Promise<boolean>);
  });
});
