import type { Redact } from '#lib/platform/secrets/redact-secrets.ts';
import { shorten } from '#lib/platform/text.ts';
import type { Encoding } from './expectation.ts';

/** Of what a peer said, so much is searched for secrets before it is cut. */
const SEARCHED = 1_000;

/** Bytes as a message shows them, without secrets and control characters, and cut: `"250-PIPELINING…"`. */
export function quoted(said: Buffer, hide: Redact, { most = 100, encoding = 'latin1' as Encoding } = {}): string {
  const begin = said.toString(encoding, 0, SEARCHED);
  const text = shorten(hide(begin, said.length > SEARCHED), most);
  // JSON leaves these as they are; a terminal may take them for commands.
  return JSON.stringify(text).replace(/[\u007f-\u009f]/g, (one) => `\\u00${one.charCodeAt(0).toString(16)}`);
}

/** `1 byte`, `64 bytes`. */
export const bytesOf = (count: number): string => `${count} ${count === 1 ? 'byte' : 'bytes'}`;

/**
 * What a peer may repeat of a text that it was sent, and others should not read: its words but for those in capitals
 * alone, which are commands (`AUTH PLAIN AGFubgBo`).
 */
export const secretsOfSent = (text: string): string[] =>
  text.split(/[^\u0021-\u007e\u00a1-\u00ff]+/).filter((word) => word !== '' && !/^[A-Z]+$/.test(word));
