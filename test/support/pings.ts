import type { Client } from './client.ts';
import { got, newCheck } from './fleet.ts';
import { target } from './service.ts';

export type PingResponse = { status: number; headers: Headers; text: string };

/** Returns status and text of a response, such as `200 OK`. */
export const statusAndText = ({ status, text }: PingResponse): string => `${status} ${text}`;

/** Returns the path of a ping URL, whose port can differ from that of the service under test. */
export const pingPathOf = (url: string): string => new URL(url).pathname;

type Sent = { method?: string; body?: string | Uint8Array; headers?: Record<string, string> };

/** Sends a ping like a client of Healthchecks: without a key, to a path of the service under test. */
export async function sendPing(
  path: string,
  { method = 'GET', body, headers }: Sent = {},
  url?: string,
): Promise<PingResponse> {
  const response = await fetch((url ?? (await target()).url) + path, {
    method,
    ...(headers && { headers }),
    ...(body !== undefined && { body: body as string }),
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

/** A push check for tests: the first failure makes it down, and its heartbeat is due after an hour. */
export type Job = { id: string; ping_url: string };

export const newJob = (client: Client, more: object = {}): Promise<Job> =>
  newCheck(client, { check_type: 'push', interval_seconds: 3600, failure_threshold: 1, ...more });

/** Pings a job. @param rest the rest of its ping URL, such as `/start` */
export const ping = (job: Pick<Job, 'ping_url'>, rest = '', more: Sent = {}): Promise<PingResponse> =>
  sendPing(pingPathOf(job.ping_url) + rest, more);

/** Returns the latest pings of a check. */
export const pingsOf = async (client: Client, id: string) => got(await client.get(`/v1/checks/${id}/pings`), 200).pings;
