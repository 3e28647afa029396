import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { outerNet } from '#lib/aws/lambda/lambda-net.ts';
import { lambdaPorts } from '#lib/aws/lambda/lambda-ports.ts';

/** Substitute for the runtime API of Lambda, which returns the next event of the function to every client. */
let runtime: Server;
let port: number;
let asked = 0;

beforeAll(async () => {
  runtime = createServer((_request, response) => {
    asked++;
    response.end('{"Records":[]}');
  });
  await new Promise<void>((resolve) => runtime.listen(0, resolve));
  port = (runtime.address() as AddressInfo).port;
});
afterAll(() => new Promise((resolve) => runtime.close(resolve)));

/** Sends the request of a check like a function on AWS. */
function get(host: string, env: Record<string, string>) {
  const own = { TABLE_NAME: 'fleet', AWS_REGION: 'eu-central-1', ...env };
  const { net, settings } = lambdaPorts(own, [], { makeNet: outerNet });
  return net.http({
    url: `http://${host}:${port}/2018-06-01/runtime/invocation/next`,
    method: 'GET',
    timeout_ms: 2000,
    max_body_bytes: 100,
    max_redirects: 0,
    egress: settings.CHECK_EGRESS,
  });
}

describe('probe on Lambda', () => {
  const refused = { kind: 'egress', message: expect.stringContaining('a loopback address') };

  it.each(['127.0.0.1', '[::1]', '[::ffff:127.0.0.1]', 'localhost'])(
    'cannot reach the runtime of its function at %s with CHECK_EGRESS any',
    async (host) => {
      await expect(get(host, { CHECK_EGRESS: 'any' })).rejects.toMatchObject(refused);
      expect(asked).toBe(0);
    },
  );

  it('reaches loopback addresses only if they are in EGRESS_ALLOW', async () => {
    const env = { CHECK_EGRESS: 'any', EGRESS_ALLOW: '127.77.0.0/16' };
    expect(await get('127.77.0.1', env)).toMatchObject({ status: 200 });
    await expect(get('127.0.0.1', env)).rejects.toMatchObject(refused);
  });

  it('has no network in a function without outbound connections', async () => {
    const { net } = lambdaPorts({ TABLE_NAME: 'fleet', AWS_REGION: 'eu-central-1' }, []);
    await expect(net.guard({ host: 'example.com', timeout_ms: 1 } as never)).rejects.toThrow('has no network');
  });

  it('rejects an unknown CHECK_EGRESS', () => {
    const env = { TABLE_NAME: 'fleet', AWS_REGION: 'eu-central-1' };
    expect(lambdaPorts(env, []).settings.CHECK_EGRESS).toBe('public');
    expect(() => lambdaPorts({ ...env, CHECK_EGRESS: 'any-but-self' }, [])).toThrow('CHECK_EGRESS');
  });
});
