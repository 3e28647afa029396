import { type PresetName, presetOf } from '#lib/checks/settings/presets.ts';
import { type FieldSpec, type FormSchema, fieldsOf } from './form-fields.ts';

/** Policy settings that the page First steps sets for the account. */
export const RECOMMENDED_POLICY = { cooldown_on_recovery: false, flap_threshold: 6, flap_window_seconds: 3600 };

/** Returns the recommended settings that the account has not set. @param inherited names of inherited settings */
export const missingRecommendations = (inherited: readonly string[]): Record<string, unknown> =>
  Object.fromEntries(Object.entries(RECOMMENDED_POLICY).filter(([name]) => inherited.includes(name)));

export function monitorFields(preset: PresetName): FieldSpec[] {
  const { target, example, keyword, interval_seconds } = presetOf(preset);
  const isJob = target === 'none';
  const kind = target === 'web' ? 'URL' : target === 'domain' ? 'Domain' : 'Host';
  const properties: Record<string, FormSchema> = {
    ...(!isJob && { target: { type: 'string', title: kind, description: `Such as ${example}.` } }),
    ...(isJob && {
      name: { type: 'string', description: 'Name of the job in alerts.' },
      schedule: { type: 'string', description: 'Due times as a cron line, such as 30 2 * * *.' },
      timezone: { type: 'string', title: 'Time zone', description: 'Time zone of the schedule. Empty: UTC.' },
    }),
    ...(keyword && {
      keyword: { type: 'string', description: 'Text that the response must contain. Empty: any response.' },
    }),
    ...(interval_seconds && {
      interval_seconds: { type: 'integer', description: 'Time between probes.', default: interval_seconds },
    }),
  };
  return fieldsOf({ properties, required: isJob ? ['name', 'schedule'] : ['target'] });
}

/** Returns the name and the required settings of a new account channel, as fields. @param schema of its type */
export function channelFields({ properties, required }: FormSchema, title: string): FieldSpec[] {
  const name: FormSchema = { type: 'string', title: 'Channel name', description: 'Name in lists.', default: title };
  const settings = fieldsOf({ properties: properties ?? {}, required: required ?? [] }).filter((spec) => spec.required);
  return [
    ...settings.map((spec) => ({ ...spec, label: `${title}: ${spec.label}` })),
    ...fieldsOf({ properties: { name } }),
  ].map((spec) => ({ ...spec, path: `channel.${spec.path}` }));
}

/** Returns the body of POST /v1/monitors. @param typed input; properties of `channel` are paths, such as config.url */
export function monitorBody(
  preset: PresetName,
  channel_type: string,
  { channel, ...typed }: Record<string, unknown>,
): Record<string, unknown> {
  const body = { preset, ...typed };
  if (!channel_type) return body;
  const { name, ...settings } = (channel ?? {}) as Record<string, unknown>;
  const config = Object.entries(settings).map(([path, value]) => [path.replace(/^config\./, ''), value]);
  return { ...body, channel: { name, channel_type, config: Object.fromEntries(config) } };
}
