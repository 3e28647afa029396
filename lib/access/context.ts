import type { Via } from '#lib/audit/entry.ts';
import type { Env } from '#lib/env.ts';
import type { Rights } from '#lib/platform/http/access.ts';
import type { CopiedToKeys, Ending } from './api-key.ts';
import type { Restriction } from './restriction.ts';
import type { SessionItem } from './session-item.ts';

/**
 * The caller, as the gate found it: on the key item, or on those of user and account. What its keys copy of the account
 * is rewritten there when the operator changes it.
 */
type Principal = Rights &
  Restriction &
  Ending &
  CopiedToKeys & {
    tenant_id: string;
    user_id: string;
    user_email: string;
    /** Empty where a person calls by a session of their own. */
    key_id: string;
    key_label: string;
  };

/** Env within one account. */
export type TenantEnv = Env & { tenant: string };

/** How a request came, for the record of what it changed. */
export type Origin = {
  via: Via;
  /** The tool of MCP that was called. */
  tool?: string;
  request_id: string;
  /** Of the client; empty where a host knows none. */
  ip: string;
  /** Empty where none was sent. */
  user_agent: string;
};

/** What every use case gets first. The tenant comes from the key, never from the request. */
export type Context = TenantEnv & {
  caller: Principal;
  origin: Origin;
  /** By which the caller came, where it was not by a Bearer key. */
  session?: SessionItem;
};

/** What reading and writing a tenant's items takes; every Context is one, the operator's CLI makes its own. */
export type TenantScope = Env<'table' | 'clock' | 'ids'> & { tenant: string };

/**
 * Context of a mutation; every Context is one. Its changes are recorded as made by the caller (audit-writer.ts). Work
 * without a caller has the origin `operator`, alert link, or service; the service's own changes are not recorded.
 */
export type MutationContext = TenantScope &
  Env<'settings'> &
  (
    | { caller: Pick<Principal, 'user_id' | 'user_email' | 'key_id' | 'key_label'>; origin: Origin }
    | { caller?: undefined; origin: 'operator' | 'system' | (Origin & { via: 'link' }) }
  );
