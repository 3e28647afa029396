import type { Context } from '#lib/access/context.ts';
import type { Route } from '#lib/platform/http/route.ts';
import { passkeyRows } from './passkeys/routes.ts';

/** Every endpoint under /v1/sign-in, one list a way in. */
export const signInRows: Route<Context>[] = [...passkeyRows];
