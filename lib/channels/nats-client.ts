import type { ConnectionOptions, MsgHdrs, NatsConnection } from '@nats-io/transport-node';
import type { Log } from '#lib/platform/ports.ts';
import { natsUrl } from '#lib/settings.ts';

/** Timeout for connecting, and for the confirmation of a message. */
const TIMEOUT_MS = 5_000;

/** Client library (3 MB), loaded with the first message, because many installations have no NATS channels. */
const client = () => import('@nats-io/transport-node');

/**
 * Returns a publisher for the operator's NATS that waits for a server's confirmation. It connects per message, because
 * alerts are few and a suspended Lambda function loses connections. Tenants may read its errors; the log has the cause.
 */
export function natsPublisher(url: string, log: Log, timeoutMs = TIMEOUT_MS) {
  const options = { ...connectOptions(url), timeout: timeoutMs };
  return async (subject: string, body: string, headers: Record<string, string>): Promise<void> => {
    const { connect, headers: newHeaders, ...nats } = await client();
    try {
      await publish(await connect(options), subject, body, filled(newHeaders(), headers), timeoutMs);
    } catch (error) {
      log.warn('message not accepted by NATS', { error });
      throw new Error(errorTextOf(nats, error), { cause: error });
    }
  };
}

/** Publishes a message, then a ping, which the server answers after it has accepted or rejected the message. */
async function publish(
  connection: NatsConnection,
  subject: string,
  body: string,
  headers: MsgHdrs,
  timeoutMs: number,
): Promise<void> {
  const refusals: Error[] = [];
  const watched = (async () => {
    for await (const status of connection.status()) if (status.type === 'error') refusals.push(status.error);
  })();
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(reject, timeoutMs, new Error('the server did not confirm in time'));
  try {
    connection.publish(subject, body, { headers });
    await Promise.race([connection.flush(), late]);
  } finally {
    clearTimeout(timer);
    await connection.close();
  }
  await watched;
  if (refusals[0]) throw refusals[0];
}

function filled(made: MsgHdrs, headers: Record<string, string>): MsgHdrs {
  for (const [name, value] of Object.entries(headers)) made.set(name, value);
  return made;
}

function connectOptions(list: string): ConnectionOptions {
  const urls = list.split(',').map((text) => {
    const parsed = natsUrl(text);
    if (!parsed?.host) throw new Error('NATS_URL is not an address such as nats://nats.example.com:4222.');
    return parsed;
  });
  const [user, pass] = [urls[0]!.username, urls[0]!.password].map(decodeURIComponent);
  return {
    name: 'fleetwatch',
    servers: urls.map((one) => one.host),
    reconnect: false,
    ...(urls[0]!.protocol === 'tls:' && { tls: {} }),
    ...(user && (pass ? { user, pass } : { token: user })),
  };
}

type ErrorClasses = Pick<Awaited<ReturnType<typeof client>>, 'AuthorizationError' | 'PermissionViolationError'>;

function errorTextOf({ AuthorizationError, PermissionViolationError }: ErrorClasses, error: unknown): string {
  if (error instanceof PermissionViolationError) return 'the NATS server does not allow this subject';
  if (error instanceof AuthorizationError) return 'the NATS server rejected the credentials of this service';
  return 'the NATS server of this service could not be reached or did not respond in time';
}
