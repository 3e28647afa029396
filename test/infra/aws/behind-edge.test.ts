import { describe, expect, it } from 'vitest';
import { behindEdge } from '#lib/aws/lambda/behind-edge.ts';
import type { ApiEvent } from '#lib/platform/http/api-event.ts';

const SECRET = 'the secret of the edge';
const FORWARDED = { 'x-fleetwatch-address': '203.0.113.9', 'x-fleetwatch-host': 'fleet.example.com' };

/** Returns address, host and header names that a function gets for these headers, sent by 198.51.100.1. */
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
    expect(seen({ ...FORWARDED, 'x-fleetwatch-edge': SECRET })).toEqual({
      address: '203.0.113.9',
      host: 'fleet.example.com',
      headers: ['host'],
    });
  });

  it('accepts the old and the new secret during a rotation', () => {
    for (const secret of ['old', 'new'])
      expect(seen({ ...FORWARDED, 'x-fleetwatch-edge': secret }, 'new,old').address).toBe('203.0.113.9');
    expect(seen({ ...FORWARDED, 'x-fleetwatch-edge': 'new,old' }, 'new,old')).toEqual(OF_GATEWAY);
  });

  it.each([
    ['without its secret', { ...FORWARDED }],
    ['with another secret', { ...FORWARDED, 'x-fleetwatch-edge': `${SECRET}.` }],
    ['with an empty secret', { ...FORWARDED, 'x-fleetwatch-edge': '' }],
  ])('ignores headers of CloudFront %s', (_what, headers) => {
    expect(seen(headers)).toEqual(OF_GATEWAY);
  });

  it('ignores headers of CloudFront in a stack without it', () => {
    expect(seen({ ...FORWARDED, 'x-fleetwatch-edge': '' }, '')).toEqual(OF_GATEWAY);
    expect(seen(FORWARDED, '')).toEqual(OF_GATEWAY);
  });

  it('uses the values of API Gateway if CloudFront sends none', () => {
    expect(seen({ 'x-fleetwatch-edge': SECRET })).toEqual(OF_GATEWAY);
  });
});
