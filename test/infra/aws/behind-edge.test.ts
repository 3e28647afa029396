import { describe, expect, it } from 'vitest';
import { behindEdge } from '#lib/aws/lambda/behind-edge.ts';
import type { ApiEvent } from '#lib/platform/http/api-event.ts';

const SECRET = 'the secret of the edge';
const TOLD = { 'x-fleetwatch-address': '203.0.113.9', 'x-fleetwatch-host': 'fleet.example.com' };

/** What a function sees of a request with these headers, which API Gateway has from CloudFront at 198.51.100.1. */
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

describe('a function behind CloudFront', () => {
  it('sees the address and the host that CloudFront tells it of', () => {
    expect(seen({ ...TOLD, 'x-fleetwatch-edge': SECRET })).toEqual({
      address: '203.0.113.9',
      host: 'fleet.example.com',
      headers: ['host'],
    });
  });

  it.each([
    ['without its secret', { ...TOLD }],
    ['with another secret', { ...TOLD, 'x-fleetwatch-edge': `${SECRET}.` }],
    ['with no secret', { ...TOLD, 'x-fleetwatch-edge': '' }],
  ])('believes nobody who speaks in the name of CloudFront %s', (_what, headers) => {
    expect(seen(headers)).toEqual(OF_GATEWAY);
  });

  it('believes nobody where there is no CloudFront', () => {
    expect(seen({ ...TOLD, 'x-fleetwatch-edge': '' }, '')).toEqual(OF_GATEWAY);
    expect(seen(TOLD, '')).toEqual(OF_GATEWAY);
  });

  it('sees what API Gateway says where CloudFront says nothing', () => {
    expect(seen({ 'x-fleetwatch-edge': SECRET })).toEqual(OF_GATEWAY);
  });
});
