import type { Ports } from '#lib/env.ts';
import { serveFiles } from '#lib/page/serve-file.ts';

/** Serves the console, its page at `/` and files under `/assets/`, and the docs under `/docs`. */
export const create = (ports: Pick<Ports, 'settings' | 'log' | 'assets'>) => serveFiles(ports, ports.assets);
