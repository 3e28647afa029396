import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { KeyAndCertificate } from '#test/support/certificates.ts';
import { findProgram } from '#test/support/find-program.ts';
import { lastingPort } from '#test/support/lasting-port.ts';

/** A real server in its own process; `await using` ends it. */
type Peer = AsyncDisposable & { host: string; port: number };

const HOST = '127.77.0.1';
const PYTHON = join(import.meta.dirname, '../../../.cache/peers/bin/python');

/**
 * Returns the interpreter of a virtual environment with the packages of requirements.txt; undefined if it is missing.
 * To create it: python3 -m venv .cache/peers && .cache/peers/bin/pip install -r test/support/peers/requirements.txt
 */
export const peerPython = (): string | undefined => needed(PYTHON, existsSync(PYTHON) ? PYTHON : undefined);

/** Returns the path of a Debian program; undefined if it is not installed. */
export const peerProgram = (name: string): string | undefined =>
  needed(name, findProgram(name) ?? findProgram(`/usr/sbin/${name}`));

function needed(name: string, found: string | undefined): string | undefined {
  if (found === undefined && process.env.CI) throw new Error(`${name} is missing; run .ci/peers to install it.`);
  return found;
}

export function startSmtp({ cert, key }: KeyAndCertificate): Promise<Peer> {
  const dir = mkdtempSync(join(tmpdir(), 'fleetwatch-smtp-'));
  const [certificate, privateKey] = [join(dir, 'cert.pem'), join(dir, 'key.pem')];
  writeFileSync(certificate, cert);
  writeFileSync(privateKey, key, { mode: 0o600 });
  return startPython('smtp.py', [HOST, certificate, privateKey], dir);
}

/** A mail as received. `data`: with its headers. */
export type KeptMail = { from: string; to: string[]; tls: boolean; data: string };

/** Starts a mail server that accepts mail from one user over STARTTLS; `kept` has the accepted mail. */
export async function startMailbox(
  { cert, key }: KeyAndCertificate,
  user: string,
  password: string,
): Promise<Peer & { kept: KeptMail[] }> {
  const dir = mkdtempSync(join(tmpdir(), 'fleetwatch-mailbox-'));
  const [certificate, privateKey] = [join(dir, 'cert.pem'), join(dir, 'key.pem')];
  writeFileSync(certificate, cert);
  writeFileSync(privateKey, key, { mode: 0o600 });
  const args = [join(import.meta.dirname, 'mail_peer.py'), HOST, certificate, privateKey, user, password];
  const child = spawn(PYTHON, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const [line] = await outputOf(child, /^\d+$/m);
  const kept: KeptMail[] = [];
  createInterface(child.stdout!).on('line', (text) => {
    if (!text.startsWith('{')) return;
    const mail = JSON.parse(text);
    kept.push({ ...mail, data: Buffer.from(mail.data, 'base64').toString('utf8') });
  });
  return { ...peerOf(child, Number(line), dir), kept };
}

export const startWebsocket = (): Promise<Peer> => startPython('websocket.py', [HOST]);

export async function startRedis(program: string): Promise<Peer> {
  const port = await lastingPort();
  const dir = mkdtempSync(join(tmpdir(), 'fleetwatch-redis-'));
  const settings = { port, bind: HOST, dir, save: '', appendonly: 'no' };
  const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)]);
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  await outputOf(child, /Ready to accept connections/);
  return peerOf(child, port, dir);
}

export async function startSshd(program: string): Promise<Peer> {
  const port = await lastingPort();
  const dir = mkdtempSync(join(tmpdir(), 'fleetwatch-sshd-'));
  const key = join(dir, 'key');
  mkdirSync('/run/sshd', { recursive: true, mode: 0o755 });
  const made = spawn('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', key], { stdio: 'ignore' });
  await once(made, 'exit');
  const options = { Port: port, ListenAddress: HOST, HostKey: key, PidFile: 'none', UsePAM: 'no' };
  const args = Object.entries(options).flatMap(([name, value]) => ['-o', `${name}=${value}`]);
  const child = spawn(program, ['-D', '-e', '-f', '/dev/null', ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  await outputOf(child, /Server listening on/);
  return peerOf(child, port, dir);
}

async function startPython(script: string, args: string[], dir?: string): Promise<Peer> {
  const child = spawn(PYTHON, [join(import.meta.dirname, script), ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  const [line] = await outputOf(child, /^\d+$/m);
  return peerOf(child, Number(line), dir);
}

/** Waits until the output of a program matches. Rejects with the output if the program ends before. */
function outputOf(child: ChildProcess, wanted: RegExp): Promise<RegExpExecArray> {
  return new Promise((resolve, reject) => {
    let text = '';
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`${child.spawnfile} ended with ${code}: ${text}`)));
    for (const output of [child.stdout!, child.stderr!]) {
      output.on('data', (piece: Buffer) => {
        text += piece;
        const found = wanted.exec(text);
        if (found) resolve(found);
      });
    }
  });
}

const peerOf = (child: ChildProcess, port: number, dir?: string): Peer => ({
  host: HOST,
  port,
  async [Symbol.asyncDispose]() {
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
    if (dir) rmSync(dir, { recursive: true });
  },
});
