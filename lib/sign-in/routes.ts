import type { Context } from '#lib/access/context.ts';
import { oidcRows } from '#lib/identity/oidc/routes.ts';
import { passkeyRows } from '#lib/identity/passkeys/routes.ts';
import { keyRows } from '#lib/identity/sign-in.ts';
import type { Route } from '#lib/platform/http/route.ts';
import { linkRows } from './link.ts';
import { methodRows } from './methods.ts';

/** Every endpoint under /v1/sign-in, one list a way in. */
export const signInRows: Route<Context>[] = [...methodRows, ...passkeyRows, ...oidcRows, ...linkRows, ...keyRows];
