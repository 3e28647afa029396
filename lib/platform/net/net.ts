/**
 * How far an outbound connection may go (docs/CONTRACT.md#egress): `public` only, or `any` but link-local, 0/8,
 * multicast and cloud metadata; `any-but-self` is `any` without loopback.
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
type PortRequest = HostRequest & { port: number };

/** What a TLS handshake showed of the peer's certificate. */
export type TlsReply = {
  latency_ms: number;
  /** Epoch ms. */
  valid_from: number;
  /** Epoch ms; NaN when it has no such date. */
  valid_to: number;
  /** `TLSv1.3` */
  version: string;
  /** Organisation of the issuer; its common name where it has none; empty without either. */
  issuer: string;
  /** In upper-case hex with colons. */
  fingerprint_sha256: string;
  /** Why it cannot be trusted (dates, name or issuer), in a sentence; empty when it can. */
  problem: string;
};

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
  /** Opens a TCP connection and closes it. */
  connect(request: PortRequest): Promise<{ latency_ms: number }>;
  /**
   * A TLS handshake; a bad certificate is its finding, not its failure. `servername` (default: host) is who we want, in
   * any spelling.
   */
  tls(request: PortRequest & { servername?: string }): Promise<TlsReply>;
  /** Asks a DNS server; no record of that type is a `NetError('dns')` with its `rcode`. */
  resolve(request: LookUp): Promise<LookUpReply>;
  /**
   * Looks a host up and checks its addresses, without connecting: `NetError('egress')` when it may not be reached, or
   * `dns`.
   */
  guard(request: HostRequest): Promise<void>;
}
