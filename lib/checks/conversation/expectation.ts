import { endOfMatch, MAX_SEARCHED } from '#lib/checks/assertions/expressions.ts';
import type { Redact } from '#lib/platform/secrets/redact-secrets.ts';
import type { TenantCpu } from '#lib/platform/sharing/cpu-budget.ts';
import { shorten } from '#lib/platform/text.ts';

export type Expectation = {
  /** For messages: `to contain "STARTTLS"`. */
  condition: string;
  maxBytes: number;
  /** Returns the end of the match; -1 without one. `searched`: bytes searched before. Throws CpuLimitError. */
  find(received: Buffer, searched: number): number | Promise<number>;
  /** Whether the response is complete, so that no match can follow. Absent if unknown. */
  isOver?(received: Buffer): boolean;
};

/** Maximum bytes searched for a literal text, read after the peer has closed, and accepted in a WebSocket message. */
export const STEP_BYTES = 64 * 1024;

type Encoding = 'utf8' | 'latin1';

export function containing(text: string, encoding: Encoding): Expectation {
  const bytes = Buffer.from(text, encoding);
  return {
    condition: `to contain ${JSON.stringify(text)}`,
    maxBytes: STEP_BYTES,
    find: (received, searched) => {
      const at = received.indexOf(bytes, Math.max(0, searched - bytes.length + 1));
      return at < 0 ? -1 : at + bytes.length;
    },
  };
}

/** Expects a match of a valid RE2 expression. `encoding`: latin1 makes each byte a character. */
export const matching = (text: string, encoding: Encoding, cpu: TenantCpu): Expectation => ({
  condition: `to match ${JSON.stringify(text)}`,
  maxBytes: MAX_SEARCHED,
  find: (received) => endOfMatch(cpu, text, received.toString(encoding)),
});

/** Number of leading bytes in which secrets are redacted before the text is cut. */
const SEARCHED_BYTES = 1_000;

/** Formats bytes for a message: redacted, without control characters, and cut: `"250-PIPELINING…"`. */
export function quoted(
  received: Buffer,
  redact: Redact,
  { maxLength = 100, encoding = 'latin1' }: { maxLength?: number; encoding?: Encoding } = {},
): string {
  const begin = received.toString(encoding, 0, SEARCHED_BYTES);
  const text = shorten(redact(begin, received.length > SEARCHED_BYTES), maxLength);
  // JSON does not escape these characters; a terminal may execute them.
  return JSON.stringify(text).replace(/[\u007f-\u009f]/g, (char) => `\\u00${char.charCodeAt(0).toString(16)}`);
}

/** Formats `1 byte`, `64 bytes`. */
export const bytesOf = (count: number): string => `${count} ${count === 1 ? 'byte' : 'bytes'}`;

/** Returns possible secrets in a sent text: its words except commands in capitals (`AUTH PLAIN AGFubgBo`). */
export const secretsOfSent = (text: string): string[] =>
  text.split(/[^\u0021-\u007e\u00a1-\u00ff]+/).filter((word) => word !== '' && !/^[A-Z]+$/.test(word));
