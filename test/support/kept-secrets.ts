import { digestOf } from '#lib/access/api-key.ts';
import { flowSecrets } from '#lib/identity/oidc/request.ts';
import { makeLog } from '#lib/platform/log.ts';
import type { Ids, Log } from '#lib/platform/ports.ts';

/** Secrets that the services of this process generated. */
const known = new Set<string>();
/** Secrets that other systems generated. */
const given: string[] = [];
/** Log lines that contain a secret. */
const leaks: string[] = [];

/** Form of generated secrets. */
const LONG = /[\w-]{43,}/g;

/** Records a secret of another system, in any form. */
export const noteSecret = (secret: string): void => void given.push(secret);

/**
 * Wraps a source of ids and records each secret that it generates, with the values derived from it: keys, links,
 * invitations and cookies contain the secret, an OIDC sign-in derives state, nonce and verifier from it, and the
 * challenge of a passkey is its digest.
 */
export const notedIds = (ids: Ids): Ids => ({
  ...ids,
  secret: () => {
    const secret = ids.secret();
    const challenge = Buffer.from(digestOf(secret), 'hex').toString('base64url');
    for (const one of [secret, challenge, ...Object.values(flowSecrets(secret))]) known.add(one);
    return secret;
  },
});

/** Wraps a log and searches its lines, as printed, for secrets. */
export function watchedLog(log: Log): Log {
  const printed = makeLog('info', (line) => {
    // Some secrets are written with a prefix.
    const isKnown = line.match(LONG)?.some((word) => known.has(word) || known.has(word.slice(-43)));
    if (isKnown || given.some((secret) => line.includes(secret))) leaks.push(line);
  });
  const both =
    (level: 'info' | 'warn' | 'error'): Log['info'] =>
    (message, fields) => {
      printed[level](message, fields);
      log[level](message, fields);
    };
  return { info: both('info'), warn: both('warn'), error: both('error') };
}

const PREFIXED = /\bfw[a-z]?_[0-9A-Za-z]{43}\b/;

/** Searches the log of another process, whose secrets are recognized only by their form. */
export const watchLogged = (lines: string): void =>
  void leaks.push(...lines.split('\n').filter((line) => PREFIXED.test(line)));

/** Removes and returns the lines with secrets that were found so far. */
export const linesWithSecrets = (): string[] => leaks.splice(0);
