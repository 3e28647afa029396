import { describe, expect, it } from 'vitest';
import { COMMANDS, OPTIONS } from '#infra/admin/commands.ts';
import { commandOf } from '#infra/admin/parse-command.ts';
import { parseFlags, UsageError } from '#infra/flags.ts';

/** Returns the error of a command line; fails if the line is accepted. */
function refusalOf(line: string[]): string {
  try {
    const { options, words } = parseFlags(line, OPTIONS, true);
    commandOf(words, options);
  } catch (error) {
    if (error instanceof UsageError) return error.message;
    throw error;
  }
  throw new Error(`accepted: ${line.join(' ')}`);
}

/** All options, each with a value if it takes one. */
const flags = Object.entries(OPTIONS).map(([name, { type }]) => ({
  name: name as keyof typeof OPTIONS,
  words: type === 'boolean' ? [`--${name}`] : [`--${name}`, 'x'],
}));
const SENTENCE = /^[^\n]{10,}\.$/;

/** Expected descriptions of the arguments whose values no command lists. */
const NAMED: Record<string, string> = {
  role: 'a role: viewer, responder, member, admin',
  page: 'a status page id; see GET /v1/status-pages',
  domain: 'a domain, such as status.example.com',
  file: 'the path of a file',
};

describe.each(Object.entries(COMMANDS))('admin %s', (name, { operands, optionalOperand, takes }) => {
  const own = name.split(' ');
  const whole = [...own, ...operands.map((one) => `${one}_1`)];
  const withOptional = optionalOperand ? [...whole, `${optionalOperand}_1`] : whole;

  it('accepts all its arguments, also with --json', () => {
    for (const line of [whole, withOptional]) {
      const { options, words } = parseFlags([...line, '--json'], OPTIONS, true);
      expect(commandOf(words, options)).toEqual({ command: COMMANDS[name], operands: line.slice(own.length) });
    }
  });

  it('names a missing argument and the command that lists it', () => {
    for (const [i, one] of operands.entries()) {
      const message = refusalOf(whole.slice(0, own.length + i));
      expect(message).toMatch(SENTENCE);
      const where = NAMED[one] ?? `an? .* id; see ${one} list`;
      expect(message).toMatch(new RegExp(`^${name} needs ${where}\\.$`));
    }
  });

  it('rejects an extra word', () => {
    expect(refusalOf([...withOptional, 'more'])).toBe(`${name} does not take "more".`);
  });

  it('rejects options of other commands', () => {
    for (const { name: option, words } of flags) {
      if (option === 'json' || option === 'help' || takes.includes(option)) continue;
      expect(refusalOf([...whole, ...words])).toBe(`${name} does not take --${option}.`);
    }
  });
});
