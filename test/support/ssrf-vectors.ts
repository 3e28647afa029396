import { readFileSync } from 'node:fs';
import { afterAll, beforeAll } from 'vitest';
import { type Client, clientOf } from './client.ts';
import { type Service, startService } from './service.ts';

/** An address, the required outcome of a request to it, and the reason. */
export type Vector = {
  id: string;
  group: string;
  why: string;
  url?: string;
  host?: string;
  port?: number;
  dns?: Record<string, string[]>;
  dnsSequence?: Record<string, string[][]>;
  connectsTo?: string;
  socketRemote?: string;
  redirect?: { status: number; location: string };
  vars?: Record<string, string>;
  verdict: 'allow' | 'block';
};

export const vectors = readFileSync(new URL('ssrf-vectors.jsonl', import.meta.url), 'utf8')
  .split('\n')
  .filter(Boolean)
  .map((line) => JSON.parse(line) as Vector);

/** At least 30 URLs that must never be reached if egress is limited to public addresses. */
export const blockedUrls = vectors.flatMap(({ url, vars, verdict, why }) =>
  url !== undefined && vars === undefined && verdict === 'block' ? [{ url, why }] : [],
);

/**
 * Starts a service that reaches only public addresses, for the tests of a `describe`.
 * @returns its client, available when a test runs
 */
export function publicOnly(): () => Client {
  let service: Service;
  beforeAll(async () => {
    service = await startService({ env: { CHECK_EGRESS: 'public', EGRESS_ALLOW: '' } });
  });
  afterAll(() => service.stop());
  return () => clientOf(service.url, service.adminKey);
}
