import type { Client } from './client.ts';
import { got, newCheck } from './fleet.ts';
import { target } from './service.ts';

export type PingAnswer = { status: number; headers: Headers; text: string };

/** Status and text of an answer, such as `200 OK`. */
export const said = ({ status, text }: PingAnswer): string => `${status} ${text}`;

/** The path of a ping URL, which may name another port than that of the service under test. */
export const pingPathOf = (url: string): string => new URL(url).pathname;

type Sent = { method?: string; body?: string | Uint8Array; headers?: Record<string, string> };

/** Sends a ping as a client of Healthchecks does: without a key, to a path of the service under test. */
export async function sendPing(
  path: string,
  { method = 'GET', body, headers }: Sent = {},
  url?: string,
): Promise<PingAnswer> {
  const response = await fetch((url ?? (await target()).url) + path, {
    method,
    ...(headers && { headers }),
    ...(body !== undefined && { body: body as string }),
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

/** A push check as its tests want it: each failure counts, and silence is an hour away. */
export type Job = { id: string; ping_url: string };

export const newJob = (client: Client, more: object = {}): Promise<Job> =>
  newCheck(client, { check_type: 'push', interval_seconds: 3600, failure_threshold: 1, ...more });

/** Pings a job. @param rest what stands behind its ping URL, such as `/start` */
export const ping = (job: Pick<Job, 'ping_url'>, rest = '', more: Sent = {}): Promise<PingAnswer> =>
  sendPing(pingPathOf(job.ping_url) + rest, more);

/** The newest pings of a check. */
export const pingsOf = async (client: Client, id: string) => got(await client.get(`/v1/checks/${id}/pings`), 200).pings;
