import type { Ports } from '#lib/env.ts';
import { serveFiles } from '#lib/page/serve-file.ts';

/** Hands out the files of the console: its page at `/`, and what that loads under `/assets/`. */
export const create = (ports: Pick<Ports, 'settings' | 'log' | 'assets'>) => serveFiles(ports, ports.assets.console);
