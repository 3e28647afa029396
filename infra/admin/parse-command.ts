import { UsageError } from '#infra/flags.ts';
import { ROLES } from '#lib/platform/http/access.ts';
import { closestName } from '#lib/platform/http/closest-name.ts';
import { namesOf } from '#lib/platform/plain-data.ts';
import { COMMANDS, type Command, type Options } from './commands.ts';

const NAMED = {
  account: 'an account id; see account list',
  user: 'a user id; see user list',
  key: 'an API key id; see key list',
  role: `a role: ${ROLES.join(', ')}`,
  page: 'a status page id; see GET /v1/status-pages',
  domain: 'a domain, such as status.example.com',
  file: 'the path of a file',
};

/** Finds the command and its operands, and validates them before a store is opened. Throws UsageError. */
export function commandOf(words: string[], options: Options): { command: Command; operands: string[] } {
  const [first = ''] = words;
  const name = Object.hasOwn(COMMANDS, first) ? first : words.slice(0, 2).join(' ');
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (!command) {
    const near = closestName(name, Object.keys(COMMANDS));
    const hint = near === undefined ? `use ${Object.keys(COMMANDS).join(', ')}.` : `did you mean ${near}?`;
    throw new UsageError(`"${name}" is not a command; ${hint}`);
  }
  const operands = words.slice(name.split(' ').length);
  const missing = command.operands[operands.length];
  if (missing) throw new UsageError(`${name} needs ${NAMED[missing]}.`);
  const extra = operands[command.operands.length + (command.optionalOperand ? 1 : 0)];
  if (extra !== undefined) throw new UsageError(`${name} does not take "${extra}".`);
  for (const option of namesOf(options)) {
    const known = option === 'json' || option === 'help' || command.takes.includes(option);
    if (!known) throw new UsageError(`${name} does not take --${option}.`);
  }
  return { command, operands };
}
