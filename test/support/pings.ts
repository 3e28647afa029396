import { target } from './service.ts';

export type PingAnswer = { status: number; headers: Headers; text: string };

/** The path of a ping URL, which may name another port than that of the service under test. */
export const pingPathOf = (url: string): string => new URL(url).pathname;

/** Sends a ping as a client of Healthchecks does: without a key, to a path of the service under test. */
export async function sendPing(
  path: string,
  {
    method = 'GET',
    body,
    headers,
  }: { method?: string; body?: string | Uint8Array; headers?: Record<string, string> } = {},
  url?: string,
): Promise<PingAnswer> {
  const response = await fetch((url ?? (await target()).url) + path, {
    method,
    ...(headers && { headers }),
    ...(body !== undefined && { body: body as string }),
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}
