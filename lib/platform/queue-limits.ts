import type { Message } from './ports.ts';

/** Limits of SQS, which hold on one machine too. */
export const LONGEST_DELAY_MS = 15 * 60_000;
const MESSAGE_BYTES = 256 * 1024;

/** A message as it is sent: its body as JSON, and how long it waits from `now` on (ms). Throws on what SQS refuses. */
export function sendable({ body, not_before = 0 }: Message, now: number): { text: string; wait_ms: number } {
  const text = JSON.stringify(body);
  if (text === undefined) throw new Error('The body of a message is JSON.');
  if (Buffer.byteLength(text) > MESSAGE_BYTES) throw new Error('A message has at most 256 KB. Send several.');
  const wait_ms = Math.max(0, not_before - now);
  if (wait_ms > LONGEST_DELAY_MS) throw new Error('A message waits at most 15 minutes.');
  return { text, wait_ms };
}
