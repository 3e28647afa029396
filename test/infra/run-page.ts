import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { lastingPort } from '#test/support/lasting-port.ts';
import type { RealService } from '#test/support/real-service.ts';

export type Block = { language: string; text: string };

/** Returns the code blocks of a Markdown page in order; the language includes its annotation: `sh stopped`. */
export const blocksOf = (page: string): Block[] =>
  [...page.matchAll(/^```(\S[^\n]*)\n(.*?)^```/gms)].map(([, language = '', text = '']) => ({ language, text }));

/** Ports on which commands of pages listen. */
const PAGE_PORTS = ['9101', '9102'];

/** Loopback address where no server listens and that the service under test may always reach. */
const UNREACHABLE = '127.77.0.1';

/** Matches an error of the API in the output of a command. */
const REFUSED = /"code":"[A-Z_]+"/;

/**
 * Runs the commands of a page in order, in one bash, on a real service. External hosts are replaced by one
 * where no server listens, so that no request leaves this machine.
 * @param folder working directory. Default: a new one
 * @returns the output of each command
 * @throws if a command fails or the API rejects a request
 */
export async function runCommands(
  commands: readonly string[],
  service: RealService,
  folder?: string,
): Promise<string[]> {
  const cwd = folder ?? mkdtempSync(join(tmpdir(), 'fleetwatch-page-'));
  const ports = await Promise.all(PAGE_PORTS.map(lastingPort));
  const here = (text: string) =>
    PAGE_PORTS.reduce((all, port, i) => all.replaceAll(port, String(ports[i])), text)
      .replaceAll('http://127.0.0.1:8787', service.url)
      .replaceAll(/(-C )?\.data\b\/?/g, (_, flag = '') => `${flag}${service.dir}/`)
      .replaceAll(/https:\/\/[a-z.]+\.(?:com|sh)/g, `https://${UNREACHABLE}:9`)
      .replaceAll(/\b[a-z]+\.example\.com/g, UNREACHABLE);
  // Background processes of a page end with it.
  const script = [
    "trap 'kill $(jobs -p) 2>/dev/null || true' EXIT",
    ...commands.map((text, i) => `printf '\\n--- ${i}\\n'\n${here(text)}`),
  ].join('\n');
  try {
    const { stdout } = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', script], {
      cwd,
      env: { ...process.env, DATA_DIR: service.dir },
      timeout: 60_000,
    });
    if (REFUSED.test(stdout)) throw new Error(`The API rejected a request:\n${stdout}`);
    return stdout.split(/^--- \d+\n/m).slice(1);
  } finally {
    if (folder === undefined) rmSync(cwd, { recursive: true, force: true });
  }
}
