import { envOf, type Ports } from '#lib/env.ts';
import { servePublic } from '#lib/public/serve.ts';

/** Serves status pages and badges to visitors without a key. */
export const create = (ports: Ports) => servePublic(envOf(ports));
