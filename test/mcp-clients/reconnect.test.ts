import { connect, createServer, type Socket } from 'node:net';
import { expect, it } from 'vitest';
import { eventually } from '#test/support/eventually.ts';
import { registerCatalogOps } from '#test/support/mcp.ts';
import { startRealService } from '#test/support/real-service.ts';
import { connectV1, transportsV1 } from './typescript.ts';

it('reopens a stream that the service closes early, without losing a response', { timeout: 60_000 }, async () => {
  await using service = await startRealService({ MCP_STREAM_SECONDS: '1' });
  await registerCatalogOps(service.client);
  const transport = transportsV1.sse({ url: `${service.url}/v1/mcp`, key: service.client.key });
  const client = await connectV1(transport);
  let closed = 0;
  client.onerror = () => closed++;
  const endpoint = () => (transport as unknown as { _endpoint: URL })._endpoint.href;
  for (let i = 1; i <= 4; i++) {
    const before = endpoint();
    // The stream ends only after all calls of a burst have their responses.
    const burst = await Promise.all(Array.from({ length: 10 }, () => client.callTool({ name: 'list_blueprints' })));
    expect(burst.every(({ isError }) => !isError)).toBe(true);
    await eventually(() => endpoint() !== before);
    expect((await client.callTool({ name: 'get_status_summary' })).structuredContent).toMatchObject({ total: 0 });
  }
  expect(closed).toBeGreaterThanOrEqual(4);
  await client.close();
});

it('reconnects by itself when its connection is cut', { timeout: 60_000 }, async () => {
  await using service = await startRealService();
  await registerCatalogOps(service.client);
  const { port, hostname } = new URL(service.url);
  const sockets = new Set<Socket>();
  const proxy = createServer((near) => {
    const far = connect(Number(port), hostname);
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        sockets.delete(socket);
        near.destroy();
        far.destroy();
      });
    }
    near.pipe(far).pipe(near);
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(proxy.address() as { port: number }).port}/v1/mcp`;
  const transport = transportsV1.sse({ url, key: service.client.key });
  const client = await connectV1(transport);
  const endpoint = () => (transport as unknown as { _endpoint: URL })._endpoint.href;
  for (let i = 0; i < 3; i++) {
    const before = endpoint();
    for (const socket of sockets) socket.destroy();
    await eventually(() => endpoint() !== before);
    expect((await client.callTool({ name: 'list_blueprints' })).structuredContent).toEqual({ blueprints: [] });
  }
  await client.close();
  proxy.close();
});
