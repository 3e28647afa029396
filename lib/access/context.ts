import type { Via } from '#lib/audit/entry.ts';
import type { Env } from '#lib/env.ts';
import type { Rights } from '#lib/platform/http/access.ts';
import type { CopiedToKeys, Expiry } from './api-key.ts';
import type { Restriction } from './restriction.ts';
import type { SessionItem } from './session-item.ts';

type Principal = Rights &
  Restriction &
  Expiry &
  CopiedToKeys & {
    tenant_id: string;
    user_id: string;
    user_email: string;
    key_id: string;
    key_label: string;
  };

export type TenantEnv = Env & { tenant: string };

/** Origin of a request, recorded with its changes. */
export type Origin = {
  via: Via;
  tool?: string;
  request_id: string;
  /** Client address; empty if the host does not know it. */
  ip: string;
  user_agent: string;
};

/** First parameter of every use case. The tenant comes from the credential, never from the request. */
export type Context = TenantEnv & {
  caller: Principal;
  origin: Origin;
  /** Session of the caller, unless authenticated by a Bearer key. */
  session?: SessionItem;
};

/** Ports and tenant for items of the tenant. Part of every Context; admin commands build one for the operator. */
export type TenantScope = Env<'table' | 'clock' | 'ids'> & { tenant: string };

/** Context of a mutation by the caller, the operator, a link in a message, or the service (not audited). */
export type MutationContext = TenantScope &
  Env<'settings'> &
  (
    | { caller: Pick<Principal, 'user_id' | 'user_email' | 'key_id' | 'key_label'>; origin: Origin }
    | { caller?: undefined; origin: 'operator' | 'system' | (Origin & { via: 'link' }) }
  );
