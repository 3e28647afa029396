import type { Duplex } from 'node:stream';

/**
 * How far an outbound connection may go (docs/develop/guarantees.md#egress): `public` only, or `any` but link-local,
 * 0/8, multicast and cloud metadata; `any-but-self` is `any` without loopback.
 */
export type Egress = 'public' | 'any' | 'any-but-self';

/** Response codes of an answer without a record that is wanted; NOERROR: the name has none of that type. */
export type NoRecord = 'NOERROR' | 'NXDOMAIN' | 'SERVFAIL' | 'REFUSED';

export type NetErrorKind = 'dns' | 'connect' | 'timeout' | 'tls' | 'redirect' | 'egress';

type NetErrorOptions = { answered?: boolean; interrupted?: boolean; cause?: unknown };

/** A network failure in the service's own words. `message` says what was wrong and what to do, never a secret. */
export class NetError extends Error {
  readonly kind: NetErrorKind;
  /** The other side answered (refused, reset, bad certificate): the failure is not one of our own network. */
  readonly answered: boolean;
  /** No answer came in time, or the connection was closed: what a client that stands still brings about by itself. */
  readonly interrupted: boolean;
  /** Of the last HTTP response that came before the failure; 0 when none came. */
  status = 0;
  /** From the beginning of the call to the failure; 0 when nothing was sent for it. */
  latency_ms = 0;
  /** What a DNS server said of a question to which it gave no record: `NXDOMAIN`; absent of all else. */
  rcode?: NoRecord;
  constructor(kind: NetErrorKind, message: string, options: NetErrorOptions = {}) {
    super(message, { cause: options.cause });
    this.name = 'NetError';
    this.kind = kind;
    this.answered = options.answered ?? false;
    this.interrupted = options.interrupted ?? kind === 'timeout';
  }
}

export type HttpRequest = {
  url: string;
  method: string;
  headers?: Record<string, string>;
  body?: string;
  /** For everything together: look-up, connection, TLS, headers, body, redirects. */
  timeout_ms: number;
  /** So much of a body is read at most; it is held in memory, unless there are texts to find in it. */
  max_body_bytes: number;
  /** Reads on behind that until it is known whether there is more: `kept.goes_on`. */
  reads_on?: boolean;
  /** Looks for texts in the body. With `status`: of a response of that status, and no other body is read. */
  find?: { texts: readonly string[]; status?: number };
  /**
   * Keeps the first so many bytes of the body for people to see. No answer depends on them: what nothing else wants is
   * waited for a second at most, and is no part of the latency.
   */
  excerpt_bytes?: number;
  /**
   * Waits for room in memory; asked before more of a body is held than 64 KB. Meanwhile nothing is read, and that time
   * is no part of the latency.
   */
  room?: () => Promise<void>;
  egress: Egress;
  /** 0: a 3xx is the answer. To another origin go no secrets: no body (`redirect`), and only headers like accept. */
  max_redirects: number;
  /** Default true. */
  verify_tls?: boolean;
  /** Looks until when the certificate of the last hop is valid. */
  reads_certificate?: boolean;
};

/**
 * `headers` have names in lower case, repeated ones joined by a comma. `kept`, with `reads_on`: how many bytes `body`
 * was made of, and whether more followed. `search`: which texts of `find` were found, in how many bytes; absent when no
 * body was read for it. `excerpt`: how the body begins, and how many bytes of it were read. `valid_to`: epoch ms, NaN
 * when the certificate has no such date; absent when there is none, or nobody asked.
 */
export type HttpReply = {
  status: number;
  headers: Record<string, string>;
  body: string;
  kept?: { bytes: number; goes_on: boolean };
  search?: { found: readonly string[]; bytes: number };
  excerpt?: { text: string; bytes: number };
  valid_to?: number;
  latency_ms: number;
};

/** A host (name or address) and what a connection to it may cost and where it may go. */
export type HostRequest = { host: string; timeout_ms: number; egress: Egress };

/** How TLS is spoken with a peer. */
export type TlsWanted = {
  /** Who we want, in any spelling; default: the host. */
  servername?: string | undefined;
  /** What to offer for the protocol within it (RFC 7301), the best first. */
  alpn?: string[];
  /** A certificate that cannot be trusted is a `NetError('tls')`; without it that is a finding. */
  verify: boolean;
};

/** What a TLS handshake showed. */
export type Handshake = {
  /** Of the peer's certificate; epoch ms. */
  valid_from: number;
  /** Epoch ms; NaN when it has no such date. */
  valid_to: number;
  /** `TLSv1.3` */
  version: string;
  /** Organisation of the issuer of the certificate; its common name where it has none; empty without either. */
  issuer: string;
  /** Of the certificate, in upper-case hex with colons. */
  fingerprint_sha256: string;
  /** Why the certificate cannot be trusted (dates, name or issuer), in a sentence; empty when it can. */
  problem: string;
  /** Of what was offered by `alpn`, what the peer has chosen; empty when nothing. */
  protocol: string;
};

/** A connection, with `tls` one whose handshake is over. */
export type OpenRequest = HostRequest & { port: number; tls?: TlsWanted | undefined };

/** An open connection to a host that the guard let through. It ends with the work that it was opened for. */
export interface Connection {
  /** `127.0.0.1:8080`, or `name (127.0.0.1:8080)`. */
  readonly where: string;
  /** What comes and goes, within TLS once that is spoken. Its errors need no listener: it closes. */
  readonly stream: Duplex;
  /** Of the latest handshake. */
  readonly handshake: Handshake | undefined;
  /** Ms since the connection was asked for. */
  elapsed(): number;
  /** Says what is waited for from now on, for the message when the time is over: `the greeting`. */
  waitFor(what: string): void;
  /** Goes over to TLS. Whoever reads the stream has taken all of it and listens no more. */
  secure(tls: TlsWanted): Promise<Handshake>;
}

export const RECORD_TYPES = ['A', 'AAAA', 'CNAME', 'MX', 'NS', 'TXT', 'SRV', 'SOA', 'CAA', 'PTR'] as const;
export type RecordType = (typeof RECORD_TYPES)[number];

export type LookUp = {
  hostname: string;
  type: RecordType;
  /** Address or address:port of the DNS server to ask; the machine's own when absent. */
  resolver?: string | undefined;
  timeout_ms: number;
  /** For `resolver`; the machine's own is the operator's and always allowed. */
  egress: Egress;
};

/**
 * `values` are in the usual text form of the type, names without the trailing dot: `10 mail.example.com` (MX),
 * `10 5 5060 sip.example.com` (SRV), `0 issue "ca.example"` (CAA), the seven members of an SOA; at least one.
 */
export type LookUpReply = { values: string[]; latency_ms: number };

/**
 * Guarded sockets and look-ups: every address is checked before it is connected to, and nothing outlives `timeout_ms`.
 * All methods throw `NetError`; anything else that they throw is a fault of this machine (no file descriptors left).
 */
export interface Net {
  /** One exchange on a new connection, and one more for each redirect followed. */
  http(request: HttpRequest): Promise<HttpReply>;
  /** Opens a connection, and closes it when the work on it is done or the time over. */
  open<Result>(request: OpenRequest, work: (connection: Connection) => Promise<Result> | Result): Promise<Result>;
  /** Asks a DNS server; no record of that type is a `NetError('dns')` with its `rcode`. */
  resolve(request: LookUp): Promise<LookUpReply>;
  /**
   * Looks a host up and checks its addresses, without connecting: `NetError('egress')` when it may not be reached, or
   * `dns`.
   */
  guard(request: HostRequest): Promise<void>;
}
