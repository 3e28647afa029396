import type { Env } from '#lib/env.ts';
import type { Rights } from '#lib/platform/http/access.ts';
import type { Limits, RateLimits } from './account.ts';

/**
 * The caller, as the Bearer gate found it on the key item. `retention_days`, `rollup_days`, `egress` and
 * `rate_limits` are the account's, copied onto its keys (and rewritten there when the operator changes them), so that a
 * call needs no read of the account.
 */
type Principal = Rights & {
  tenant_id: string;
  user_id: string;
  user_email: string;
  key_id: string;
  key_label: string;
  retention_days: number;
  rollup_days: number;
  egress: Limits['egress'];
  rate_limits?: RateLimits;
};

/** Env within one account. */
export type TenantEnv = Env & { tenant: string };

/** How a request came, for the record of what it changed. */
export type Origin = {
  via: 'api' | 'mcp' | 'console';
  /** The tool of MCP that was called. */
  tool?: string;
  request_id: string;
  /** Of the client; empty where a host knows none. */
  ip: string;
  /** Empty where none was sent. */
  user_agent: string;
};

/** What every use case gets first. The tenant comes from the key, never from the request. */
export type Context = TenantEnv & { caller: Principal; origin: Origin };

/** What reading and writing a tenant's items takes; every Context is one, the operator's CLI makes its own. */
export type Scope = Env<'table' | 'clock' | 'ids'> & { tenant: string };
