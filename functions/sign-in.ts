import { envOf } from '#lib/env.ts';
import { pageGates } from '#lib/identity/sessions/session-gate.ts';
import { compact } from '#lib/platform/http/compact.ts';
import { makeRouter } from '#lib/platform/http/router.ts';
import type { Ports } from '#lib/platform/ports.ts';
import { signInRows } from '#lib/sign-in/routes.ts';

/** Signs people in: the ways that end in a session, and what proves who they are. */
export const create = (ports: Ports) => compact(makeRouter(signInRows, pageGates(envOf(ports))));
