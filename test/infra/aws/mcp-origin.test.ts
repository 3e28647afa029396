import { expect, it } from 'vitest';
import { create } from '#functions/mcp.ts';
import { DeploySettings, serviceEnvironment } from '#infra/aws/settings.ts';
import { readSettings } from '#lib/settings.ts';
import { memoryWorld } from '#test/support/memory-world.ts';

/** Sends a ping from a page of `origin` through CloudFront, which uses the host name of the function URL. */
async function pingFrom(origin: string, deployed: Record<string, string>): Promise<number> {
  const world = memoryWorld();
  const settings = readSettings(serviceEnvironment(DeploySettings.parse(deployed), true));
  Object.assign(world.ports.settings, { ALLOWED_ORIGINS: settings.ALLOWED_ORIGINS });
  const { key } = await world.account();
  const reply = await create(world.ports)({
    rawPath: '/v1/mcp',
    rawQueryString: '',
    headers: { authorization: `Bearer ${key.key}`, 'content-type': 'application/json', origin },
    body: '{"jsonrpc":"2.0","id":1,"method":"ping"}',
    isBase64Encoded: false,
    requestContext: {
      requestId: 'r1',
      domainName: 'abc.lambda-url.eu-central-1.on.aws',
      http: { method: 'POST', path: '/v1/mcp' },
    },
  });
  return reply.status;
}

const OWN = { DOMAIN_NAME: 'fleet.example.com' };

it.each([
  ['https://fleet.example.com', OWN, 200],
  ['https://fleet.example.com', { ...OWN, ALLOWED_ORIGINS: 'https://app.example' }, 200],
  ['https://app.example', { ...OWN, ALLOWED_ORIGINS: 'https://app.example' }, 200],
  ['https://d111.cloudfront.net', { ALLOWED_ORIGINS: '*,https://d111.cloudfront.net' }, 200],
  ['https://d111.cloudfront.net', {}, 403],
  ['https://fleet.example.com', {}, 403],
  ['http://fleet.example.com', OWN, 403],
  ['https://evil.example', OWN, 403],
])('responds to a page of %s with the settings %o: %d', async (origin, deployed, status) => {
  expect(await pingFrom(origin, deployed)).toBe(status);
});
