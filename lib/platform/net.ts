/** How far an outbound connection may go (decisions.md, Safety): `public` only, or `any` but link-local, 0/8, multicast. */
export type Egress = 'public' | 'any';

export type NetErrorKind = 'dns' | 'connect' | 'timeout' | 'tls' | 'redirect' | 'egress';

/** A network failure in the service's own words. `message` says what was wrong and what to do, never a secret. */
export class NetError extends Error {
  readonly kind: NetErrorKind;
  /** The other side answered (refused, reset, bad certificate): the failure is not one of our own network. */
  readonly answered: boolean;
  constructor(kind: NetErrorKind, message: string, options: { answered?: boolean; cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.name = 'NetError';
    this.kind = kind;
    this.answered = options.answered ?? false;
  }
}

export type HttpRequest = {
  url: string;
  method: string;
  headers?: Record<string, string>;
  body?: string;
  /** For everything together: look-up, connection, TLS, headers, body, redirects. */
  timeout_ms: number;
  /** The rest of the body is not read. */
  max_body_bytes: number;
  egress: Egress;
  /** 0: a 3xx is the answer. */
  max_redirects: number;
  /** Default true. */
  verify_tls?: boolean;
};

export type HttpReply = { status: number; headers: Record<string, string>; body: string; latency_ms: number };

/** Guarded sockets and look-ups: every address is judged before it is connected to. */
export interface Net {
  /** One exchange on a new connection. Throws `NetError`. */
  http(request: HttpRequest): Promise<HttpReply>;
}
