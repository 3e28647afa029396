import { describe, expect, it } from 'vitest';
import { type Client, keyOf, newTenant } from '#test/support/client.ts';
import { got } from '#test/support/fleet.ts';
import { call, refused, rpc, toolNames, toolResult } from '#test/support/mcp.ts';

describe('tools of an account', () => {
  const tool = (name: string, description = '') => ({ name, description, inputSchema: { type: 'object' } });
  const register = async (client: Client, slug: string, tools: object[]) =>
    got(await client.post('/v1/skills', { slug, name: slug, tools }), 201);

  it('come from its enabled skills, sorted by name; for a duplicate name, the oldest skill is used', async () => {
    const client = await newTenant();
    expect(await toolNames(client)).toEqual([]);
    await register(client, 'z', [tool('b', 'first'), tool('c')]);
    await register(client, 'a', [tool('b', 'second'), tool('a')]);
    expect(await toolNames(client)).toEqual(['a', 'b', 'c']);
    const described = async () =>
      (await rpc(client, 'tools/list')).body.result.tools.find(({ name }: { name: string }) => name === 'b')
        .description;
    expect(await described()).toBe('first');
    await client.put('/v1/skills/z', { enabled: false });
    expect(await toolNames(client)).toEqual(['a', 'b']);
    expect(await described()).toBe('second');
    await client.del('/v1/skills/a');
    expect(await toolNames(client)).toEqual([]);
  });

  it('are unknown while their skill is disabled, built-in or not', async () => {
    const client = await newTenant();
    await register(client, 's', [tool('list_blueprints'), tool('own')]);
    await client.put('/v1/skills/s', { enabled: false });
    for (const name of ['list_blueprints', 'own']) {
      const response = await rpc(client, 'tools/call', { name });
      expect(response).toMatchObject({
        status: 200,
        body: { error: { code: -32602, message: expect.stringContaining('Unknown tool') } },
      });
    }
    await client.put('/v1/skills/s', { enabled: true });
    expect(await toolResult(client, 'list_blueprints', {})).toEqual({ blueprints: [] });
  });

  it('need no skill if they are built-in', async () => {
    expect(await toolResult(await newTenant(), 'list_blueprints', {})).toEqual({ blueprints: [] });
  });

  it('use their own schema if they are built-in, whatever a skill declares', async () => {
    const client = await newTenant();
    const inputSchema = { type: 'object', properties: { hours: { type: 'string' } } };
    await register(client, 's', [{ ...tool('list_incidents'), inputSchema }]);
    expect(await refused(client, 'list_incidents', { hours: '3' })).toMatchObject({ code: 'VALIDATION_ERROR' });
  });

  it('fail with a remedy if they are not bound to an action', async () => {
    const client = await newTenant();
    await register(client, 's', [tool('own')]);
    const result = await call(client, 'own');
    expect(result).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('action_id') }] });
  });

  it('are forbidden for a read-only key', async () => {
    const reader = await keyOf(await newTenant(), { is_read_only: true });
    expect((await rpc(reader, 'tools/call', { name: 'list_blueprints' })).status).toBe(403);
  });
});
