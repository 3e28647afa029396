import { describe, expect, it } from 'vitest';
import { behindEdge } from '#lib/aws/lambda/behind-edge.ts';
import type { ApiEvent } from '#lib/platform/http/api-event.ts';

const SECRET = 'the secret of the edge';
const TOLD = { 'x-fleetwatch-address': '203.0.113.9', 'x-fleetwatch-host': 'fleet.example.com' };

/** Returns the client address and host of a request with these headers, from CloudFront at 198.51.100.1. */
function seen(headers: Record<string, string>, secret = SECRET) {
  const host = 'abc.execute-api.eu-central-1.amazonaws.com';
  const event: ApiEvent = {
    rawPath: '/v1/me',
    rawQueryString: '',
    headers: { host, ...headers },
    isBase64Encoded: false,
    requestContext: {
      requestId: 'r1',
      domainName: host,
      http: { method: 'GET', path: '/v1/me', sourceIp: '198.51.100.1' },
    },
  };
  const { requestContext, headers: left } = behindEdge((one: ApiEvent) => one, secret)(event);
  const isHost = requestContext.domainName === left.host;
  return { address: requestContext.http.sourceIp, host: isHost && left.host, headers: Object.keys(left) };
}

const OF_GATEWAY = { address: '198.51.100.1', host: 'abc.execute-api.eu-central-1.amazonaws.com', headers: ['host'] };

describe('behindEdge', () => {
  it('uses address and host of CloudFront', () => {
    expect(seen({ ...TOLD, 'x-fleetwatch-edge': SECRET })).toEqual({
      address: '203.0.113.9',
      host: 'fleet.example.com',
      headers: ['host'],
    });
  });

  it('accepts the secret before a rotation and the one after', () => {
    for (const secret of ['old', 'new'])
      expect(seen({ ...TOLD, 'x-fleetwatch-edge': secret }, 'new,old').address).toBe('203.0.113.9');
    expect(seen({ ...TOLD, 'x-fleetwatch-edge': 'new,old' }, 'new,old')).toEqual(OF_GATEWAY);
  });

  it.each([
    ['without its secret', { ...TOLD }],
    ['with another secret', { ...TOLD, 'x-fleetwatch-edge': `${SECRET}.` }],
    ['with no secret', { ...TOLD, 'x-fleetwatch-edge': '' }],
  ])('ignores headers of CloudFront %s', (_what, headers) => {
    expect(seen(headers)).toEqual(OF_GATEWAY);
  });

  it('ignores headers of CloudFront in a stack without it', () => {
    expect(seen({ ...TOLD, 'x-fleetwatch-edge': '' }, '')).toEqual(OF_GATEWAY);
    expect(seen(TOLD, '')).toEqual(OF_GATEWAY);
  });

  it('uses the values of API Gateway without those of CloudFront', () => {
    expect(seen({ 'x-fleetwatch-edge': SECRET })).toEqual(OF_GATEWAY);
  });
});
