import { envOf, type Ports } from '#lib/env.ts';
import { sessionGates } from '#lib/identity/sessions/session-gate.ts';
import { signInRoutes } from '#lib/identity/sign-in.ts';
import { compressResponses } from '#lib/platform/http/compress-response.ts';
import { makeRouter } from '#lib/platform/http/router.ts';

/** Serves sign-in, and the passkeys and identities of users. */
export const create = (ports: Ports) => compressResponses(makeRouter(signInRoutes, sessionGates(envOf(ports))));
