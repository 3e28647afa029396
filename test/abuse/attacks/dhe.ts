import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type Attack, HOSTILE, Tally } from '#test/abuse/attack.ts';
import { enable, makeChecks, resultsOf } from '#test/abuse/checks.ts';
import { RSA, selfSigned } from '#test/support/certificates.ts';
import { tlsTarget } from '#test/support/tls-server.ts';

/** Group whose modulus is an odd number that was not tested for factors, because clients do not test it either. */
const GROUP = readFileSync(join(import.meta.dirname, 'dh-10000-bits.pem'));
const CHECKS = 5;

/** TLS targets that require a Diffie-Hellman exchange in a group of 10,000 bits. */
export const dhe: Attack = async ({ member, stack }) => {
  const options = { ...(await selfSigned([HOSTILE], RSA)), dhparam: GROUP, maxVersion: 'TLSv1.2' as const };
  const target = stack.use(await tlsTarget({ ...options, ciphers: 'DHE-RSA-AES128-GCM-SHA256' }, HOSTILE));
  const settings = { check_type: 'tls', interval_seconds: 5 };
  const config = { host: HOSTILE, port: target.port };
  const { ids } = await makeChecks(member, CHECKS, () => ({ ...settings, config }));
  let began = 0;
  return {
    run: async (until) => {
      began = Date.now();
      await enable(member, ids);
      await pause(until - Date.now());
    },
    conclude: async () => {
      const results = (await resultsOf(member, ids, began)).flat();
      const outcomes = new Tally();
      for (const { success, error_message } of results) outcomes.add(success ? 'up' : error_message);
      const refused = results.filter(
        ({ error_kind, error_message }) => error_kind === 'tls' && /cipher|key exchange|handshake/i.test(error_message),
      );
      return {
        evidence: [`connections: ${target.connections()}; results: ${outcomes}`],
        facts: [
          { holds: target.connections() > 0, fact: 'the attack took place' },
          { holds: refused.length > 0, fact: 'results report a failed handshake' },
        ],
      };
    },
  };
};
