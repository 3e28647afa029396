import { ROLES } from '#lib/platform/http/access.ts';
import { closestName } from '#lib/platform/http/closest-name.ts';
import { COMMANDS, type Command, type Options } from './admin-commands.ts';
import { UsageError } from './flags.ts';

/** What a line must name, and where to find it. */
const NAMED = {
  account: 'the id of an account; account list shows them',
  user: 'the id of a user; user list shows them',
  key: 'the id of an API key; key list shows them',
  role: `a role: ${ROLES.join(', ')}`,
};

/**
 * The command that the words of a line name, and the ids that it is given. The line is judged as a whole, before
 * anything is opened; a UsageError says in one sentence what is wrong.
 */
export function commandOf(words: string[], options: Options): { command: Command; ids: string[] } {
  const [first = ''] = words;
  const name = Object.hasOwn(COMMANDS, first) ? first : words.slice(0, 2).join(' ');
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (!command) {
    const near = closestName(name, Object.keys(COMMANDS));
    const hint = near === undefined ? `there are ${Object.keys(COMMANDS).join(', ')}.` : `did you mean ${near}?`;
    throw new UsageError(`There is no command "${name}"; ${hint}`);
  }
  const ids = words.slice(name.split(' ').length);
  const missing = command.names[ids.length];
  if (missing) throw new UsageError(`${name} needs ${NAMED[missing]}.`);
  const extra = ids[command.names.length + (command.mayName ? 1 : 0)];
  if (extra !== undefined) throw new UsageError(`${name} does not take "${extra}".`);
  for (const option of Object.keys(options) as (keyof Options)[]) {
    const known = option === 'json' || option === 'help' || command.takes.includes(option);
    if (!known) throw new UsageError(`${name} does not take --${option}.`);
  }
  return { command, ids };
}
