import { deliver } from '#lib/alerting/notify/deliver.ts';
import { mailBy } from '#lib/alerting/notify/mail.ts';
import { askAddress } from '#lib/alerting/notify/mail-address.ts';
import type { Publish } from '#lib/alerting/notify/send.ts';
import { mailSender } from '#lib/channels/mail-client.ts';
import { natsPublisher } from '#lib/channels/nats-client.ts';
import { envOf, type Ports } from '#lib/env.ts';
import { LAST_RECEIVE, messages } from '#lib/messages.ts';
import { type BatchReply, eachMessage, type QueueRecord, retryBudgetOf } from '#lib/platform/batch.ts';
import { FairSemaphore } from '#lib/platform/sharing/fair-semaphore.ts';

/** Limits of concurrent deliveries: per process, and per tenant and host. Messages beyond them are retried. */
const LIMITS = { permits: 200, per_target: 20, wait_ms: 1_000 };

/** Attempts deliveries. Only this function has clients of NATS and of the mail server. */
export const create = (ports: Ports, publish: Publish | undefined = natsOf(ports)) => {
  const mailEnv = { ...envOf(ports), sendMail: mailOf(ports) };
  const env = { ...mailEnv, publish, mail: mailBy(mailEnv), permits: new FairSemaphore(LIMITS, ports.clock) };
  return ({ Records }: { Records: QueueRecord[] }): Promise<BatchReply> =>
    eachMessage(ports.log, Records, (body, record) => {
      const message = messages.delivery.parse(body);
      if ('address' in message) return askAddress(mailEnv, message);
      return deliver(env, message, retryBudgetOf(record, ports.clock, LAST_RECEIVE));
    });
};

const natsOf = ({ settings, log }: Ports): Publish | undefined =>
  settings.NATS_URL === '' ? undefined : natsPublisher(settings.NATS_URL, log);

const mailOf = ({ settings, log }: Ports) => (settings.SMTP_URL === '' ? undefined : mailSender(settings, log));
