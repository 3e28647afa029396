import type { Rcode } from './assertion.ts';
import type { Body, Unreadable } from './body.ts';
import type { Expiry } from './expiry.ts';

/** What a probe found, for each source of its check type. */
export type Facts = {
  /** Absent where nothing was measured: there is nothing to judge then. */
  latency_ms?: number;
  status_code?: number;
  /** Of `body` and `json`. */
  body?: Body | Unreadable;
  /** The value of a header by its name in lower case; undefined where there is none. */
  header?: (name: string) => string | undefined;
  expiry?: Expiry | Unreadable;
  tls_version?: string;
  issuer?: string;
  fingerprint_sha256?: string;
  records?: Records;
  rcode?: Rcode;
};

/** `same`: whether two records are, as DNS compares them. `none`: how it is told that there are no records. */
export type Records = { values: readonly string[]; same(a: string, b: string): boolean; none: string };
