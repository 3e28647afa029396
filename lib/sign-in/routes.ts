import type { Context } from '#lib/access/context.ts';
import type { Route } from '#lib/platform/http/route.ts';
import { keyRows } from './key.ts';
import { linkRows } from './link.ts';
import { methodRows } from './methods.ts';

/** Every endpoint under /v1/sign-in, one list a way in. */
export const signInRows: Route<Context>[] = [...methodRows, ...linkRows, ...keyRows];
