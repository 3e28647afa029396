import { actionsOf, converse, secretsOf } from '#lib/checks/conversation/converse.ts';
import { judgedTalk } from '#lib/checks/conversation/run-conversation.ts';
import { probing } from '#lib/checks/outcome.ts';
import { redactorOf } from '#lib/platform/secrets/redact-secrets.ts';
import type { ProbeInput, Settled } from './check-type.ts';
import type { TcpConfig } from './tcp.ts';

/** Opens a connection, and takes the steps on it if there are any. */
export const probeTcp = ({ config }: Settled<TcpConfig>, { net, settings, timeout_ms, shows = false }: ProbeInput) =>
  probing(async () => {
    const { host, port, servername, verify_tls: verify = true, steps = [], assertions } = config;
    const tls = { servername, verify };
    const request = { host, port, timeout_ms, egress: settings.CHECK_EGRESS, ...(config.tls && { tls }) };
    const hide = redactorOf(secretsOf(steps));
    const talked = await converse(net, request, await actionsOf(steps), { tls, hide });
    const outcome = await judgedTalk(talked, assertions, shows);
    return { ...outcome, ...(shows && steps.length > 0 && { transcript: talked.transcript }) };
  });
