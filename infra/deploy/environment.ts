import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type DeploySettings, readDeploySettings } from '#infra/aws/settings.ts';

/** Folder of the settings of each environment. Git ignores its files. */
const FOLDER = join(import.meta.dirname, '../../deploy');

export type Environment = {
  name: string;
  /** Path of its settings file relative to the repository, for messages. */
  file: string;
  settings: DeploySettings;
};

/** Reads the settings of an environment. Throws an Error that names the file and what to change. */
export function readEnvironment(name: string | undefined): Environment {
  if (name === undefined)
    throw new Error(`Name an environment: --env NAME. Its settings are in deploy/NAME.json. ${known()}`);
  if (!/^[a-z0-9][a-z0-9-]{0,40}$/.test(name))
    throw new Error(`--env takes a name of lower-case letters, digits and hyphens, not "${name}".`);
  const file = `deploy/${name}.json`;
  const path = join(FOLDER, `${name}.json`);
  if (!existsSync(path))
    throw new Error(`${file} does not exist. Create it with the settings of the environment. ${known()}`);
  try {
    return { name, file, settings: readDeploySettings(JSON.parse(readFileSync(path, 'utf8'))) };
  } catch (error) {
    throw new Error(`${file}: ${(error as Error).message}`);
  }
}

function known(): string {
  const names = globSync('*.json', { cwd: FOLDER }).map((file) => basename(file, '.json'));
  return names.length === 0 ? 'Example: {"ALARM_EMAIL": "ops@example.com"}' : `Environments: ${names.join(', ')}.`;
}
