import type { Unreadable } from '#lib/checks/assertions/body.ts';
import { evaluateAssertions } from '#lib/checks/assertions/evaluate.ts';
import { type Expiry, expiryOf, expiryProperties, tooSoonText } from '#lib/checks/assertions/expiry.ts';
import { converse } from '#lib/checks/conversation/converse.ts';
import { outcomeOfDialog } from '#lib/checks/conversation/dialog.ts';
import { STARTTLS } from '#lib/checks/conversation/starttls.ts';
import { failed, outcomeOfProbe, succeeded, withAssertionResults } from '#lib/checks/outcome.ts';
import type { ProbeInput, SettingsWith } from './check-type.ts';
import type { TlsConfig } from './tls.ts';

export const probeTls = (
  { config }: SettingsWith<TlsConfig>,
  { net, settings, timeout_ms, now, cpu, withDetails = false }: ProbeInput,
) =>
  outcomeOfProbe(async () => {
    const { host, port, servername, starttls, min_days_remaining, assertions } = config;
    const tls = { servername, verify: false };
    const request = { host, port, timeout_ms, egress: settings.CHECK_EGRESS, ...(!starttls && { tls }) };
    const options = { tls, protocol: starttls };
    const conversation = await converse(net, request, starttls ? STARTTLS[starttls] : [], options);
    const details = withDetails && starttls ? { transcript: conversation.transcript } : {};
    const { latency_ms, handshake } = conversation;
    if (!handshake) return { ...(await outcomeOfDialog(conversation, [], { cpu })), ...details };
    const { version, issuer, fingerprint_sha256 } = handshake;
    const expiry = expiryOf('certificate', handshake.valid_to, now, 'tls');
    const problem = handshake.problem || expiryProblem(expiry, min_days_remaining);
    const found = problem ? failed('tls', problem, latency_ms) : succeeded(latency_ms);
    const facts = { latency_ms, expiry, tls_version: version, issuer, fingerprint_sha256 };
    return {
      ...withAssertionResults(found, await evaluateAssertions(assertions, facts, { cpu, withDetails })),
      ...expiryProperties(expiry),
      ...details,
    };
  });

const expiryProblem = (expiry: Expiry | Unreadable, minDays: number): string =>
  !('problem' in expiry) && expiry.days_left < minDays ? tooSoonText(expiry, minDays) : '';
