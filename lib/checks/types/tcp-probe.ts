import { actionsOf, converse, secretsOf } from '#lib/checks/conversation/converse.ts';
import { outcomeOfDialog } from '#lib/checks/conversation/dialog.ts';
import { outcomeOfProbe } from '#lib/checks/outcome.ts';
import { redactorOf } from '#lib/platform/secrets/redact-secrets.ts';
import type { ProbeInput, SettingsWith } from './check-type.ts';
import type { TcpConfig } from './tcp.ts';

/** Opens a connection and performs the steps, if any. */
export const probeTcp = (
  { config }: SettingsWith<TcpConfig>,
  { net, settings, timeout_ms, cpu, withDetails = false }: ProbeInput,
) =>
  outcomeOfProbe(async () => {
    const { host, port, servername, verify_tls: verify = true, steps = [], assertions } = config;
    const tls = { servername, verify };
    const request = { host, port, timeout_ms, egress: settings.CHECK_EGRESS, ...(config.tls && { tls }) };
    const redact = redactorOf(secretsOf(steps));
    const conversation = await converse(net, request, actionsOf(steps, cpu), { tls, redact });
    const outcome = await outcomeOfDialog(conversation, assertions, { cpu, withDetails });
    return { ...outcome, ...(withDetails && steps.length > 0 && { transcript: conversation.transcript }) };
  });
