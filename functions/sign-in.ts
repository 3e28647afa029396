import { envOf, type Ports } from '#lib/env.ts';
import { pageGates } from '#lib/identity/sessions/session-gate.ts';
import { signInRoutes } from '#lib/identity/sign-in.ts';
import { compressResponses } from '#lib/platform/http/compress-response.ts';
import { makeRouter } from '#lib/platform/http/router.ts';

/** Signs people in: the ways that end in a session, and what proves who they are. */
export const create = (ports: Ports) => compressResponses(makeRouter(signInRoutes, pageGates(envOf(ports))));
