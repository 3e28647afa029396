import type { Item } from '#lib/platform/ports.ts';

export const SIGN_IN_METHODS = ['passkey', 'oidc', 'link', 'key', 'invitation'] as const;
export type SignInMethod = (typeof SIGN_IN_METHODS)[number];

/** Stored session, under the digest of its cookie token. Its permissions are read at each request. About 500 bytes. */
export type SessionItem = Item & {
  v: string;
  id: string;
  tenant_id: string;
  user_id: string;
  method: SignInMethod;
  /** Digest of the API key, only for the method `key`; the session has its permissions. */
  key_digest?: string;
  /** `session_generation` of the user at the start. If it changes, the session ends, except for the method `key`. */
  generation: number;
  created_at: string;
  /** ISO 8601, accurate to an hour. */
  last_seen_at: string;
  /** Client address; empty if the host does not know it. */
  last_seen_from: string;
  user_agent: string;
  /** Latest end (epoch ms), regardless of use. */
  valid_until: number;
  expires_at: number;
};
