import { NetError } from './net.ts';

type SystemError = Error & { code?: string; errors?: SystemError[] };

/** Errors of this machine, which say nothing about the target. They are not converted to a NetError. */
const LOCAL_ERRORS = new Set(['EMFILE', 'ENFILE', 'ENOBUFS', 'ENOMEM']);

/** Converts a connection error to a NetError. @param where as in `Connection` */
export function connectError(error: SystemError, where: string): Error {
  // With several addresses, the first error belongs to the preferred address.
  const first = error.errors?.[0] ?? error;
  const code = first.code ?? '';
  if (LOCAL_ERRORS.has(code)) return first;
  const failure = (message: string, answered = false) => new NetError('connect', message, { answered, cause: error });
  switch (code) {
    case 'ECONNREFUSED':
      return failure(`connection refused by ${where}: nothing listens on that port`, true);
    case 'ECONNRESET':
    case 'EPIPE':
      return failure(`${where} reset the connection`, true);
    case 'ETIMEDOUT':
      return new NetError('timeout', `no answer from ${where} to a connection attempt`, { cause: error });
    case 'EHOSTUNREACH':
    case 'EHOSTDOWN':
      return failure(`no route to ${where}: the host or its network is down`);
    case 'ENETUNREACH':
    case 'ENETDOWN':
    case 'EADDRNOTAVAIL':
      return failure(`the network of ${where} cannot be reached from here`);
    case 'EACCES':
    case 'EPERM':
      return failure(`this machine blocks connections to ${where} (check its firewall rules)`);
    default:
      return failure(`connecting to ${where} failed (${code || first.message})`);
  }
}

export function lookUpError(error: SystemError, name: string): Error {
  if (error instanceof NetError || LOCAL_ERRORS.has(error.code ?? '')) return error;
  const code = error.code ?? error.message;
  const interrupted = code === 'ETIMEOUT' || code === 'EAI_AGAIN';
  return new NetError('dns', lookUpMessage(code, name), { interrupted, cause: error });
}

function lookUpMessage(code: string, name: string): string {
  switch (code) {
    case 'ENOTFOUND':
    case 'ENONAME':
      return `the name ${name} does not resolve (NXDOMAIN): check its spelling and its DNS zone`;
    case 'ENODATA':
      return `the name ${name} has no address (neither A nor AAAA record)`;
    case 'ESERVFAIL':
      return `the name ${name} does not resolve (SERVFAIL): the DNS server failed`;
    case 'EREFUSED':
      return `the name ${name} does not resolve (REFUSED): the DNS server refused to answer`;
    case 'ETIMEOUT':
    case 'EAI_AGAIN':
    case 'ECONNREFUSED':
      return `the name ${name} could not be looked up: no DNS server answered`;
    default:
      return `the name ${name} could not be looked up (${code})`;
  }
}

export function handshakeError(error: SystemError, where: string): Error {
  const code = error.code ?? '';
  if (LOCAL_ERRORS.has(code)) return error;
  const failure = (message: string, interrupted = false) =>
    new NetError('tls', message, { answered: true, interrupted, cause: error });
  if (code === 'ECONNRESET' || code === 'EPIPE')
    return failure(`${where} closed the connection during the TLS handshake`, true);
  if (code === 'ERR_SSL_WRONG_VERSION_NUMBER' || code === 'ERR_SSL_PACKET_LENGTH_TOO_LONG') {
    return failure(`${where} does not speak TLS (it may be plain text: check scheme and port)`);
  }
  if (code === 'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION' || code === 'ERR_SSL_UNSUPPORTED_PROTOCOL') {
    return failure(`${where} speaks only a TLS version older than 1.2`);
  }
  if (code === 'ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE') {
    return failure(
      `${where} refused the TLS handshake: it may offer only DHE ciphers or require a client certificate; ECDHE or TLS 1.3 is needed`,
    );
  }
  const reason = /:([^:]+):[^:]*:\d+:/.exec(error.message)?.[1] ?? (code || error.message);
  return failure(
    `the TLS handshake with ${where} failed (${reason
      .toLowerCase()
      .replace(/^err_ssl_/, '')
      .replaceAll('_', ' ')})`,
  );
}

/** Converts the error of an HTTP exchange to a NetError. */
export function exchangeError(
  error: SystemError & { reason?: string; rawPacket?: Buffer },
  where: string,
  hasHeaders: boolean,
): Error {
  if (error instanceof NetError || LOCAL_ERRORS.has(error.code ?? '')) return error;
  const failure = (message: string, interrupted = false) =>
    new NetError('connect', message, { answered: true, interrupted, cause: error });
  const code = error.code ?? '';
  if (code === 'HPE_HEADER_OVERFLOW') return failure(`${where} sent more than 16 KB of headers`);
  if (code === 'HPE_INVALID_EOF_STATE' || code === 'ECONNRESET' || code === 'EPIPE') {
    return failure(
      hasHeaders
        ? `${where} closed the connection before the response was complete`
        : `${where} closed the connection without an answer`,
      true,
    );
  }
  if (code.startsWith('HPE_')) {
    // TLS record of type alert.
    if (error.rawPacket?.[0] === 0x15) return failure(`${where} speaks TLS: use https`);
    return failure(`${where} sent a response that is not valid HTTP/1.1 (${error.reason ?? code})`);
  }
  return failure(`the exchange with ${where} failed (${code || error.message})`);
}
