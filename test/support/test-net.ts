import { expect } from 'vitest';
import { type HttpRequest, NetError } from '#lib/net/net.ts';
import { makeNet } from '#lib/net/node-net.ts';

const NAMES: Record<string, string[]> = {
  'one.example.org': ['127.77.0.1'],
  'two.example.org': ['127.77.0.3', '127.77.0.1'],
  'mixed.example.org': ['127.77.0.1', '127.0.0.1'],
  'inside.example.org': ['127.0.0.1'],
};
const net = makeNet({ EGRESS_ALLOW: ['127.77.0.0/16'] }, async (name) => {
  const addresses = NAMES[name];
  if (addresses) return addresses;
  throw Object.assign(new Error(name), { code: 'ENOTFOUND' });
});

/** Sends a request like a check, only to public addresses and 127.77.0.0/16; resolves the names in NAMES. */
export const get = (url: string, more: Partial<HttpRequest> = {}) =>
  net.http({
    url,
    method: 'GET',
    timeout_ms: 3_000,
    max_body_bytes: 1024,
    egress: 'public',
    max_redirects: 5,
    ...more,
  });

/** Returns the error of a request that must fail. */
export const failure = async (exchange: Promise<unknown>): Promise<NetError> => {
  const error = await exchange.then(
    () => undefined,
    (thrown) => thrown,
  );
  expect(error).toBeInstanceOf(NetError);
  return error;
};
