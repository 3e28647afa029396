import * as z from 'zod';
import { StackSettings } from '#infra/aws/settings.ts';
import { HostSettings, ONE_MACHINE_DEFAULTS } from '#infra/local/settings.ts';
import { DEFAULT_LIMITS, Limits } from '#lib/access/account.ts';
import { SettingsSchema } from '#lib/settings.ts';
import { table } from './table.ts';

type Setting = { name: string; default: string; meaning: string };

function settingsOf(schema: z.ZodObject): Setting[] {
  const { properties = {} } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  return Object.entries(properties).map(([name, property]) => {
    const { default: fallback = '', description } = property as z.core.JSONSchema.JSONSchema;
    if (description === undefined) throw new Error(`The setting ${name} has no description.`);
    return { name, default: String(fallback), meaning: description };
  });
}

const code = (text: string): string => (text === '' ? '' : `\`${text}\``);

const settingTable = (schema: z.ZodObject): string =>
  table(
    ['setting', 'default', 'meaning'],
    settingsOf(schema).map((one) => [code(one.name), code(one.default), one.meaning]),
  );

const onMachine: Readonly<Record<string, string>> = ONE_MACHINE_DEFAULTS;

export const settingTables = {
  'host-settings': settingTable(HostSettings),
  settings: table(
    ['setting', '`npm start`', 'AWS', 'meaning'],
    settingsOf(SettingsSchema).map((one) => [
      code(one.name),
      code(onMachine[one.name] ?? one.default),
      code(one.default),
      one.meaning,
    ]),
  ),
  'deploy-settings': settingTable(StackSettings),
  'account-limits': table(
    ['limit', 'default', 'meaning'],
    settingsOf(Limits).map((one) => [
      code(one.name),
      DEFAULT_LIMITS[one.name as keyof Limits].toLocaleString('en-US'),
      one.meaning,
    ]),
  ),
};
