import { digestOf } from '#lib/access/api-key.ts';
import { flowSecrets } from '#lib/identity/oidc/request.ts';
import { makeLog } from '#lib/platform/log.ts';
import type { Ids, Log } from '#lib/platform/ports.ts';

/** Every secret that the services of this process have drawn, and those of others that they were given. */
const known = new Set<string>();
const given: string[] = [];
const told: string[] = [];

/** So long are those that are drawn. */
const LONG = /[\w-]{43,}/g;

/** Of another system, in whatever form. */
export const noteSecret = (secret: string): void => void given.push(secret);

/**
 * Ids whose secrets are remembered, with all that is made of one: keys, links, invitations and cookies hold it, an OIDC
 * sign-in has state, nonce and verifier of it, and a passkey's challenge is its digest.
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

/** A log whose lines are looked through on their way, as they would be printed. */
export function watchedLog(log: Log): Log {
  const printed = makeLog('info', (line) => {
    // Some are written with a prefix.
    const isKnown = line.match(LONG)?.some((word) => known.has(word) || known.has(word.slice(-43)));
    if (isKnown || given.some((secret) => line.includes(secret))) told.push(line);
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

/** Looks through what a process of its own has logged, whose secrets are known by their form alone. */
export const watchLogged = (lines: string): void =>
  void told.push(...lines.split('\n').filter((line) => PREFIXED.test(line)));

/** The lines so far that hold one of these secrets; each is told once. */
export const linesWithSecrets = (): string[] => told.splice(0);
