import { once } from 'node:events';
import { HOSTILE } from './attack.ts';
import { attacks } from './attacks/registry.ts';
import { Caller } from './client.ts';

/**
 * Runs one attack with its targets and clients in its own process. Argument: JSON {name, url, admin, member, seconds}.
 * Sends `ready`, attacks after a first message, sends `over`, and responds to a second message with its conclusion.
 */
async function main({ name, url, admin, member, seconds }: Record<string, string>): Promise<void> {
  await using stack = new AsyncDisposableStack();
  const attack = attacks[name!];
  if (!attack) throw new Error(`Unknown attack: ${name}.`);
  const keys = { admin: new Caller(url!, admin!, HOSTILE), member: new Caller(url!, member!, HOSTILE) };
  const ready = await attack({ ...keys, seconds: Number(seconds), stack });
  process.send!('ready');
  await once(process, 'message');
  await ready.run(Date.now() + 1000 * Number(seconds));
  process.send!('over');
  await once(process, 'message');
  process.send!(await ready.conclude());
}

process.on('disconnect', () => process.exit());
main(JSON.parse(process.argv[2] ?? '{}')).catch((error: Error) => {
  process.stderr.write(error.message);
  process.exit(1);
});
