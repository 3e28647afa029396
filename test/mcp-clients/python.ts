import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Call, Seen } from './fleet.ts';
import type { Address } from './typescript.ts';

const ROOT = join(import.meta.dirname, '../..');

/**
 * Returns the interpreter of a virtual environment with this major version of the package mcp; undefined if it is
 * missing, except in CI, where it throws. To create it for version 1: python3 -m venv .cache/mcp-python-1 &&
 * .cache/mcp-python-1/bin/pip install -r test/mcp-clients/python-1.txt
 */
export function findPython(major: 1 | 2): string | undefined {
  const python = join(ROOT, `.cache/mcp-python-${major}/bin/python`);
  if (existsSync(python)) return python;
  if (process.env.CI) throw new Error(`${python} is missing; run .ci/peers to create it.`);
  return undefined;
}

/** Lists the tools and makes every call with the Python client. */
export function walkPython(
  major: 1 | 2,
  at: Address,
  how: { transport: 'sse' | 'http'; options?: { mode: string } },
  calls: Call[],
): Promise<Seen> {
  return new Promise((resolve, reject) => {
    const script = join(import.meta.dirname, `python_${major}.py`);
    const child = execFile(findPython(major)!, [script], { timeout: 60_000 }, (error, stdout, stderr) =>
      error ? reject(new Error(`${error.message}\n${stderr}`)) : resolve(JSON.parse(stdout)),
    );
    child.stdin!.end(JSON.stringify({ ...at, options: {}, ...how, calls }));
  });
}
