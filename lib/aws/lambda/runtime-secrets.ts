import { type SecretSetting, secretVariable } from '#lib/aws/environment.ts';
import type { Ports } from '#lib/env.ts';
import { lazy } from '#lib/platform/lazy.ts';
import { SettingsSchema } from '#lib/settings.ts';

/** Times (ms) after which a value is read again, and after which a failed read is repeated. */
const FRESH_MS = 5 * 60_000;
const RETRY_MS = 60_000;

const loadReader = lazy(async () => (await import('#lib/aws/lambda/secret-reader.ts')).secretReader());

/**
 * Runs a function with settings from Secrets Manager. If one has changed, `make` creates the function again, so that a
 * rotation needs no deployment. If a read fails or its value is invalid, the last value is used; without one, the
 * invocation fails and is retried. @param env has the names of the secrets; a setting without one keeps its value
 */
export function withSecrets<P extends Ports, Event, Answer>(
  env: Record<string, string | undefined>,
  ports: P,
  settings: readonly SecretSetting[],
  make: (ports: P) => (event: Event) => Promise<Answer>,
): (event: Event) => Promise<Answer> {
  const named = settings.flatMap((setting) => {
    const name = env[secretVariable(setting)];
    return name ? [{ setting, name }] : [];
  });
  if (named.length === 0) return make(ports);
  const known = new Map<SecretSetting, { value: string; until: number }>();
  let work: ((event: Event) => Promise<Answer>) | undefined;

  async function refresh({ setting, name }: (typeof named)[number]): Promise<boolean> {
    const now = ports.clock.now();
    const last = known.get(setting);
    if (last && now < last.until) return false;
    try {
      const read = await loadReader();
      const value = SettingsSchema.shape[setting].parse(await read(name));
      known.set(setting, { value, until: now + FRESH_MS });
      return value !== last?.value;
    } catch (error) {
      if (!last) throw error;
      last.until = now + RETRY_MS;
      ports.log.warn('secret not read, its last value is used', { setting, error });
      return false;
    }
  }

  return async (event) => {
    const changed = await Promise.all(named.map(refresh));
    if (!work || changed.includes(true)) {
      const values = Object.fromEntries([...known].map(([setting, { value }]) => [setting, value]));
      work = make({ ...ports, settings: { ...ports.settings, ...values } });
    }
    return work(event);
  };
}
