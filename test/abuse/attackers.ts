import { type ChildProcess, execFile, fork } from 'node:child_process';
import { once } from 'node:events';
import { setPriority } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { RealService } from '#test/support/real-service.ts';
import { HOSTILE, type Ready } from './attack.ts';
import { Caller } from './client.ts';

/** An attack in a separate process. */
export type Attacker = Disposable & {
  begin(): void;
  /** Resolves when the attack is over. */
  over: Promise<void>;
  conclude: Ready['conclude'];
};

/** Nice value of attackers, so that their CPU does not slow the service on a machine with few cores. */
const NICENESS = 10;

/**
 * Prepares an attack by a new tenant in a process of its own; `begin` starts it. Rejects if its process fails.
 * @param code folder of the checkout whose service is attacked
 */
export async function startAttacker(
  name: string,
  service: RealService,
  seconds: number,
  code: string,
): Promise<Attacker> {
  const keys = await newTenant(service, code);
  const file = join(import.meta.dirname, 'attacker.ts');
  const child: ChildProcess = fork(file, [JSON.stringify({ name, url: service.url, seconds, ...keys })], {
    stdio: ['ignore', 'inherit', 'pipe', 'ipc'],
  });
  setPriority(child.pid!, NICENESS);
  let err = '';
  child.stderr!.on('data', (chunk) => {
    err += chunk;
  });
  const gone = once(child, 'exit').then(() => {
    throw new Error(`the attack ended early: ${err.trim()}`);
  });
  gone.catch(() => {});
  const message = () => Promise.race([once(child, 'message').then(([value]) => value), gone]);
  const over = Promise.withResolvers<void>();
  over.promise.catch(() => {});
  await message();
  return {
    begin: () => {
      message().then(() => over.resolve(), over.reject);
      child.send('begin');
    },
    over: over.promise,
    conclude: () => {
      child.send('conclude');
      return message();
    },
    [Symbol.dispose]: () => void child.kill('SIGKILL'),
  };
}

/** Creates an account with an admin and a member, through the operator's CLI while the service runs. */
async function newTenant({ url, dir }: RealService, code: string): Promise<{ admin: string; member: string }> {
  const words = ['account', 'create', '--email', 'attacker@example.com', '--name', 'Attacker', '--json'];
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', join(code, 'infra/admin/main.ts'), ...words],
    { cwd: code, env: { PATH: process.env.PATH, DATA_DIR: dir, EGRESS_ALLOW: '127.77.0.0/16' } },
  );
  const admin = new Caller(url, JSON.parse(stdout).key, HOSTILE);
  const person = { email: 'member@example.com', role: 'member' };
  const { invite_token } = await admin.need('POST', '/v1/settings/users/invite', person);
  const accepted = await admin.need('POST', '/v1/invitations/accept', { token: invite_token, name: 'Member' });
  return { admin: admin.key, member: accepted.key };
}
