import type { Duplex } from 'node:stream';

/**
 * Allowed destinations (docs/develop/guarantees.md#egress): `public` only; `any` except link-local, 0/8, multicast and
 * cloud metadata; `any-but-self` is `any` without loopback.
 */
export type Egress = 'public' | 'any' | 'any-but-self';

/** DNS response codes that are reported. On an error, NOERROR means that the name has no record of the type. */
export type DnsRcode = 'NOERROR' | 'NXDOMAIN' | 'SERVFAIL' | 'REFUSED';

export type NetErrorKind = 'dns' | 'connect' | 'timeout' | 'tls' | 'redirect' | 'egress';

type NetErrorOptions = { answered?: boolean; interrupted?: boolean; cause?: unknown };

/** A network failure. `message` says what failed and what to do, and contains no secret. */
export class NetError extends Error {
  readonly kind: NetErrorKind;
  /** Whether the peer responded (refused, reset, bad certificate), so the network of the service must work. */
  readonly answered: boolean;
  /** Whether it is a timeout or a closed connection, which a stall of this process can cause. */
  readonly interrupted: boolean;
  /** Status of the last HTTP response before the failure; 0 without a response. */
  status = 0;
  /** Ms from the start of the call to the failure; 0 outside a call. */
  latency_ms = 0;
  /** Response code of a DNS server that returned no record. */
  rcode?: DnsRcode;
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
  /** Total for lookup, connection, TLS, headers, body and redirects. */
  timeout_ms: number;
  /** Maximum bytes of the body that are read; kept in memory unless `find` is set. */
  max_body_bytes: number;
  /** Whether to read beyond the maximum to learn whether the body continues (`kept.goes_on`). */
  reads_on?: boolean;
  /** Texts to find in the body. With `status`, only the body of a response with that status is read. */
  find?: { texts: readonly string[]; status?: number };
  /** Bytes of the body to keep for display. If only they are read, this takes up to 1 s, not part of the latency. */
  excerpt_bytes?: number;
  /** Waits for memory before more than 64 KB are kept. Reading is paused; the wait is not part of the latency. */
  waitForMemory?: () => Promise<void>;
  egress: Egress;
  /** 0: a 3xx is the result. Redirects to another origin send no secrets: no body, only headers such as Accept. */
  max_redirects: number;
  /** Default: true. */
  verify_tls?: boolean;
  reads_certificate?: boolean;
};

/**
 * `headers` have lower-case names; repeated ones are joined by a comma. `kept`, with `reads_on`: size of `body` in
 * bytes, and whether more followed. `search`: texts of `find` that were found, and the searched bytes; absent if no
 * body was read for it. `excerpt`: beginning of the body, and the bytes read. `valid_to`: epoch ms, NaN if the
 * certificate has no date; absent without a certificate or if not requested.
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

export type HostRequest = { host: string; timeout_ms: number; egress: Egress };

export type TlsOptions = {
  /** Expected name of the peer, in any spelling. Default: the host. */
  servername?: string | undefined;
  /** Protocols to offer (RFC 7301), preferred first. */
  alpn?: string[];
  /** Whether an untrusted certificate throws `NetError('tls')`; else it is reported in `problem`. */
  verify: boolean;
};

export type Handshake = {
  /** Validity of the peer's certificate; epoch ms. */
  valid_from: number;
  /** Epoch ms; NaN if the certificate has no date. */
  valid_to: number;
  version: string;
  /** Organization of the certificate's issuer, else its common name; empty without both. */
  issuer: string;
  /** Fingerprint of the certificate in upper-case hex with colons. */
  fingerprint_sha256: string;
  /** Readable reason why the certificate is not trusted (dates, name or issuer); empty if it is. */
  problem: string;
  /** Protocol that the peer chose from `alpn`; empty for none. */
  protocol: string;
};

/** Request for a connection; with `tls`, the work begins after the handshake. */
export type OpenRequest = HostRequest & { port: number; tls?: TlsOptions | undefined };

/** An open connection to an allowed host. It is closed when its work ends. */
export interface Connection {
  /** `127.0.0.1:8080`, `name:8080 (127.0.0.1)`, or with several addresses `name:8080`. */
  readonly where: string;
  /** Data of the connection, decrypted after a TLS handshake. Errors close it, so they need no listener. */
  readonly stream: Duplex;
  readonly handshake: Handshake | undefined;
  /** Ms since the connection was requested. */
  elapsed(): number;
  /** Sets the awaited event in the timeout message: `the greeting`. Does not wait. */
  setAwaited(awaited: string): void;
  /** Starts TLS. The reader of the stream must have consumed all data and removed its listeners. */
  secure(tls: TlsOptions): Promise<Handshake>;
}

export const RECORD_TYPES = ['A', 'AAAA', 'CNAME', 'MX', 'NS', 'TXT', 'SRV', 'SOA', 'CAA', 'PTR'] as const;
export type RecordType = (typeof RECORD_TYPES)[number];

export type DnsRequest = {
  hostname: string;
  type: RecordType;
  /** Address or address:port of the DNS server. Default: that of the machine. */
  resolver?: string | undefined;
  timeout_ms: number;
  /** Applies to `resolver`; the machine's own resolver is always allowed. */
  egress: Egress;
};

/** At least one value in the usual text format: `10 mail.example.com` (MX), `0 issue "ca.example"` (CAA). */
export type DnsReply = { values: string[]; latency_ms: number };

/** Guarded sockets and lookups within `timeout_ms`. Throws `NetError`; any other error is internal. */
export interface Net {
  /** Sends a request on a new connection, and another one per followed redirect. */
  http(request: HttpRequest): Promise<HttpReply>;
  /** Opens a connection, and closes it after the work or the timeout. */
  open<Result>(request: OpenRequest, work: (connection: Connection) => Promise<Result> | Result): Promise<Result>;
  /** Queries a DNS server; a missing record is a `NetError('dns')` with `rcode`. */
  resolve(request: DnsRequest): Promise<DnsReply>;
  /** Checks the addresses of a host. Throws `NetError('egress')` or `NetError('dns')`. */
  guard(request: HostRequest): Promise<void>;
}
