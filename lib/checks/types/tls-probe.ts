import type { Unreadable } from '#lib/checks/assertions/body.ts';
import { evaluateAssertions } from '#lib/checks/assertions/evaluate.ts';
import { type Expiry, expiryMembers, expiryOf, tooSoon } from '#lib/checks/assertions/expiry.ts';
import { converse } from '#lib/checks/conversation/converse.ts';
import { judgedTalk } from '#lib/checks/conversation/run-conversation.ts';
import { STARTTLS } from '#lib/checks/conversation/starttls.ts';
import { failed, probing, succeeded, withVerdict } from '#lib/checks/outcome.ts';
import type { ProbeInput, Settled } from './check-type.ts';
import type { TlsConfig } from './tls.ts';

/** Makes a handshake, and looks at the certificate. */
export const probeTls = (
  { config }: Settled<TlsConfig>,
  { net, settings, timeout_ms, now, shows = false }: ProbeInput,
) =>
  probing(async () => {
    const { host, port, servername, starttls, min_days_remaining, assertions } = config;
    const tls = { servername, verify: false };
    const request = { host, port, timeout_ms, egress: settings.CHECK_EGRESS, ...(!starttls && { tls }) };
    const manner = { tls, whose: starttls };
    const talked = await converse(net, request, starttls ? STARTTLS[starttls] : [], manner);
    const shown = shows && starttls ? { transcript: talked.transcript } : {};
    const { latency_ms, handshake } = talked;
    if (!handshake) return { ...(await judgedTalk(talked, [], shows)), ...shown };
    const { version, issuer, fingerprint_sha256 } = handshake;
    const expiry = expiryOf('certificate', handshake.valid_to, now, 'tls');
    const problem = handshake.problem || shortly(expiry, min_days_remaining);
    const found = problem ? failed('tls', problem, latency_ms) : succeeded(latency_ms);
    const facts = { latency_ms, expiry, tls_version: version, issuer, fingerprint_sha256 };
    return {
      ...withVerdict(found, await evaluateAssertions(assertions, facts, shows)),
      ...expiryMembers(expiry),
      ...shown,
    };
  });

const shortly = (expiry: Expiry | Unreadable, least: number): string =>
  !('problem' in expiry) && expiry.days_left < least ? tooSoon(expiry, least) : '';
