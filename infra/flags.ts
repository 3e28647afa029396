import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';
import { closestName } from '#lib/platform/http/closest-name.ts';

/** Invalid command line; the message is for the user. The admin and deploy commands then exit with code 2. */
export class UsageError extends Error {}

/** Parses a command line. Throws a UsageError. @param takesWords whether positional arguments are accepted */
export function parseFlags<const Options extends ParseArgsOptionsConfig>(
  args: string[],
  options: Options,
  takesWords: boolean,
) {
  try {
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true, strict: true });
    const [word] = positionals;
    if (word === undefined || takesWords) return { options: values, words: positionals };
    throw new UsageError(`"${word}" is unknown${orMaybe(word, options)}`);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code !== 'ERR_PARSE_ARGS_UNKNOWN_OPTION') throw error instanceof UsageError ? error : new UsageError(message);
    const [flag = '', name = ''] = /--?([^'=]+)/.exec(message) ?? [];
    throw new UsageError(`${flag} is unknown${orMaybe(name, options)}`);
  }
}

function orMaybe(name: string, options: ParseArgsOptionsConfig): string {
  const near = closestName(name, Object.keys(options));
  if (near !== undefined) return `; did you mean --${near}?`;
  return `; use ${Object.keys(options)
    .map((option) => `--${option}`)
    .join(', ')}.`;
}
