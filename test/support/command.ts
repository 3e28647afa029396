import { execFile } from 'node:child_process';

export type Ran = { code: number; out: string; err: string };

/** Returns the variables that a program of the service gets from the environment of the tests. */
export const bareEnv = (more: Record<string, string> = {}): NodeJS.ProcessEnv => ({
  PATH: process.env.PATH,
  NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
  ...more,
});

/**
 * Runs a program of the repository to its end, like its npm script.
 * @param file path from the root of the repository
 */
export function runCommand(file: string, args: string[], env: Record<string, string> = {}): Promise<Ran> {
  const argv = ['--disable-warning=ExperimentalWarning', file, ...args];
  return new Promise((resolve) => {
    execFile(process.execPath, argv, { env: bareEnv(env) }, (error, out, err) => {
      resolve({ code: error ? Number(error.code) : 0, out, err });
    });
  });
}
