import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { join } from 'node:path';
import { aws, stackOutputs } from '#infra/aws-cli.ts';
import { UsageError } from '#infra/flags.ts';
import type { Command, Options } from './commands.ts';
import { pathOf } from './store.ts';

export const AWS_FLAGS = {
  stack: { type: 'string' },
  function: { type: 'string' },
  maps: { type: 'string' },
} as const;

export const AWS_USAGE = `  npm run admin -- schedule stop --stack NAME            stop all probes and deadlines of a stack on AWS
  npm run admin -- schedule start --stack NAME           start them; the time between counts as an outage
  npm run admin -- trace FILE [--function NAME] [--maps DIR]
                                                         print FILE, a log or stack trace of AWS, with source files;
                                                         --maps: cdk.out/source-maps of its release`;

/** Commands for a deployment on AWS that do not read its table. */
export const AWS_COMMANDS: Record<string, Command> = {
  'schedule stop': { takes: ['stack'], operands: [], runAlone: (options) => setSchedules(options, 'DISABLED') },
  'schedule start': { takes: ['stack'], operands: [], runAlone: (options) => setSchedules(options, 'ENABLED') },
  trace: {
    takes: ['function', 'maps'],
    operands: ['file'],
    runAlone: async ({ function: name, maps }, file) => {
      const path = pathOf(file);
      if (!existsSync(path)) throw new UsageError(`${path} does not exist.`);
      const dir = pathOf(maps ?? join(import.meta.dirname, '../../cdk.out/source-maps'));
      if (!existsSync(dir)) throw new UsageError(`${dir} does not exist. Give --maps, the source maps of the release.`);
      const text = withSources(readFileSync(path, 'utf8'), dir, name);
      return { text, json: { text } };
    },
  },
};

/** Sets the state of only the schedules that are listed in the output Schedules of a stack. */
async function setSchedules({ stack }: Options, state: 'ENABLED' | 'DISABLED') {
  if (stack === undefined)
    throw new UsageError('Give --stack, the STACK_NAME of the deployment. On one machine, stop the service instead.');
  const outputs = await stackOutputs(stack);
  const names = outputs?.Schedules?.split(',');
  if (names === undefined)
    throw new UsageError(`The stack ${stack} does not exist, or has no output Schedules: deploy this release first.`);
  const changed = [];
  for (const name of names) {
    const of = ['--name', name, '--group-name', 'default'];
    const { State: was, ...found } = await aws(['scheduler', 'get-schedule', ...of]);
    // An update replaces the whole schedule, and AWS rejects properties that only a read returns.
    const { Arn: _, CreationDate: __, LastModificationDate: ___, ...kept } = found;
    const input = JSON.stringify({ ...kept, Name: name, GroupName: 'default', State: state });
    if (was !== state) await aws(['scheduler', 'update-schedule', '--cli-input-json', input]);
    changed.push({ name, was, is: state });
  }
  const text = changed.map(({ name, was, is }) =>
    was === is ? `${name} was ${is} already` : `${name}: ${was} to ${is}`,
  );
  return { text: [...text, EFFECT[state]].join('\n'), json: changed };
}

const EFFECT = {
  DISABLED: 'Jobs that were already sent run for up to four minutes. Then no check runs and no deadline is evaluated.',
  ENABLED: 'The next tick comes within a minute. The time without ticks counts as an outage, without alerts.',
};

const POSITION = /(?:file:\/\/)?\/var\/task\/([\w.-]+\.mjs):(\d+):(\d+)/g;
const SERVICE = /"service":"([a-z-]+)"/;

/**
 * Replaces positions in deployed code with positions in the sources. `dir` has a folder of source maps per function.
 * @param given name of the function; needed if the text does not name it
 */
function withSources(text: string, dir: string, given: string | undefined): string {
  let current = given;
  const functions = readdirSync(dir);
  if (given !== undefined && !functions.includes(given))
    throw new UsageError(`--function: ${given} is not one of ${functions.join(', ')}.`);
  const lines = text.split('\n').map((line) => {
    current = given ?? SERVICE.exec(line)?.[1] ?? current;
    return line.replaceAll('\\n', '\n').replaceAll(POSITION, (frame, file: string, row: string, column: string) => {
      // Any name but index.mjs contains a hash of the content, so it means the same file in every function.
      const owner = file === 'index.mjs' ? current : functions.find((one) => existsSync(join(dir, one, `${file}.map`)));
      if (owner === undefined && file === 'index.mjs')
        throw new UsageError('The text does not name its function. Give --function.');
      const path = join(dir, owner ?? '', `${file}.map`);
      if (!existsSync(path)) return `${frame} (of another release)`;
      const found = mapAt(path).findEntry(Number(row) - 1, Number(column) - 1);
      return 'originalSource' in found
        ? `${found.originalSource}:${found.originalLine + 1}:${found.originalColumn + 1}`
        : frame;
    });
  });
  return lines.join('\n').trimEnd();
}

const cachedMaps = new Map<string, SourceMap>();
function mapAt(path: string): SourceMap {
  const one = cachedMaps.get(path) ?? new SourceMap(JSON.parse(readFileSync(path, 'utf8')));
  cachedMaps.set(path, one);
  return one;
}
