import { join } from 'node:path';
import { parseFlags } from '#infra/flags.ts';
import { makeLog } from '#lib/platform/log.ts';
import { demoGreeting, startDemo } from './demo/demo.ts';
import { type FirstKey, KEY_FILE } from './first-account.ts';
import { browserAddress, firstLink } from './first-link.ts';
import { startHost } from './host.ts';
import { loadLazyParts } from './preload.ts';
import { readHostSettings } from './settings.ts';

/** Settings of the demo: its own folder, and access to its target. */
const DEMO_SETTINGS = { DATA_DIR: '.demo', EGRESS_ALLOW: '127.0.0.1/32', LOG_LEVEL: 'warn' };

/** Runs `npm start`: the whole service on one machine, until SIGTERM or SIGINT. */
async function main(): Promise<void> {
  process.umask(0o077);
  const { options } = parseFlags(process.argv.slice(2), { demo: { type: 'boolean', default: false } }, false);
  const { host: hostSettings, settings } = readHostSettings(
    options.demo ? { ...DEMO_SETTINGS, ...process.env } : process.env,
  );
  const log = makeLog(hostSettings.LOG_LEVEL);
  process.on('uncaughtException', (error) => {
    log.error('uncaught error, process exits', { error });
    process.exit(1);
  });
  const starting = startHost({
    settings,
    log,
    dir: hostSettings.DATA_DIR,
    host: hostSettings.HOST,
    port: hostSettings.PORT,
    proxies: hostSettings.TRUSTED_PROXIES,
    metricsPort: hostSettings.METRICS_PORT,
  });
  let stopping = false;
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, async () => {
      if (stopping) return;
      stopping = true;
      log.info('stopping', { signal });
      await (await starting).stop();
      process.exit(0);
    });
  }
  const service = await starting;
  if (service.metricsUrl) log.info('operator metrics served', { url: service.metricsUrl });
  const address = settings.PUBLIC_URL || browserAddress(service.url);
  const link = await firstLink(service, address);
  const linksTo = settings.PUBLIC_URL === '' ? address : undefined;
  const keyFile = join(hostSettings.DATA_DIR, KEY_FILE);
  process.stdout.write(
    options.demo
      ? demoGreeting({ url: service.url, open: link ?? address, keyFile })
      : greeting(service.url, service.adminKey, keyFile, { address, link, linksTo }),
  );
  await loadLazyParts(log);
  if (options.demo) {
    if (service.adminKey === undefined)
      throw new Error(
        `The demo needs the key in ${keyFile}, which is missing. Delete ${hostSettings.DATA_DIR} to start again.`,
      );
    const say = (line: string) => process.stdout.write(`${new Date().toISOString()}  ${line}\n`);
    await startDemo({ ...service, key: service.adminKey.raw }, say);
  }
}

/**
 * Formats the greeting. The key is shown only once, because output ends up in journals and container logs.
 * `linksTo`: default address of the links in alerts, if PUBLIC_URL does not set it.
 */
function greeting(
  url: string,
  key: FirstKey,
  file: string,
  { address, link, linksTo }: { address: string; link: string | undefined; linksTo: string | undefined },
): string {
  const where = !key
    ? '(deleted, or its file is missing; create another with: npm run admin -- key issue ID)'
    : key.isNew
      ? `${key.raw}   (stored in ${file}, not shown again)`
      : `in ${file}`;
  const value = !key ? '<API_KEY>' : key.isNew ? key.raw : `$(cat ${file})`;
  const signIn = link
    ? `Sign-in link, valid once, for an hour: ${link}`
    : `Sign in at ${address} (for a sign-in link: npm run admin -- user link ID)`;
  return `
Fleetwatch runs at ${url}
${signIn}
Admin key: ${where}${linksTo ? `\nLinks in alerts lead to ${linksTo}; set PUBLIC_URL if users open another address` : ''}

  curl -H "Authorization: Bearer ${value}" ${url}/v1/me

`;
}

main().catch((error: Error) => {
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
});
