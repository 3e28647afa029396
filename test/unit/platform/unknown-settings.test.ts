import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SETTING_NAMES } from '#infra/local/settings.ts';
import { unknownSettings } from '#lib/unknown-settings.ts';

const messagesFor = (...names: string[]) => unknownSettings(names, SETTING_NAMES);

describe('an unknown setting', () => {
  it.each([
    ['CHECK_EGRES', 'CHECK_EGRESS'],
    ['CHECKS_EGRESS', 'CHECK_EGRESS'],
    ['EGRESS_ALLOWED', 'EGRESS_ALLOW'],
    ['EGRESS_ALLOWLIST', 'EGRESS_ALLOW'],
    ['DATA_DIRS', 'DATA_DIR'],
    ['DATADIR', 'DATA_DIR'],
    ['MCP_STREAM_PER_KEY', 'MCP_STREAMS_PER_KEY'],
    ['MCP_STREAM_SECS', 'MCP_STREAM_SECONDS'],
    ['ALLOWED_ORIGIN', 'ALLOWED_ORIGINS'],
    ['NATS_URLS', 'NATS_URL'],
    ['MIN_INTERVAL', 'MIN_INTERVAL_SECONDS'],
    ['check_egress', 'CHECK_EGRESS'],
  ])('%s is reported with the suggestion %s', (name, near) => {
    expect(messagesFor(name)).toEqual([`${name} is not known; did you mean ${near}?`]);
  });

  it('is reported without a suggestion if its prefix belongs to the service', () => {
    expect(messagesFor('EGRESS_POLICY_FILE_PATH_AND_MORE')).toEqual(['EGRESS_POLICY_FILE_PATH_AND_MORE is not known']);
  });

  it('is reported with the suggestion of a setting that has one more letter', () => {
    const distinctive = SETTING_NAMES.filter((name) => name.includes('_') && name !== 'LOG_LEVEL');
    fc.assert(
      fc.property(fc.constantFrom(...distinctive), fc.nat(), (name, position) => {
        const at = position % name.length;
        const typed = name.slice(0, at) + name.slice(at + 1);
        expect(messagesFor(typed)).toEqual([`${typed} is not known; did you mean ${name}?`]);
      }),
    );
  });
});

describe('foreign variables of an environment', () => {
  it.each([
    ['a shell', 'PATH HOME USER SHELL PWD OLDPWD LANG LC_ALL TERM TZ TMPDIR EDITOR SHLVL _ LS_COLORS XDG_DATA_DIRS'],
    ['node and npm', 'NODE_ENV NODE_OPTIONS NODE_EXTRA_CA_CERTS NODE_PORT npm_config_cache npm_package_name INIT_CWD'],
    ['containers', 'HOSTNAME HOSTS HOST_IP HOST_PORT PORTS PORT_HTTP container LOG_DIR LOGLEVEL LOG_FORMAT LOG_FILE'],
    ['data', 'DATABASE_URL DATABASE_DIR DATA DATA_PATH DATA_HOME DATA_DISK DATA_URI PGDATA BUCKET BUCKET_NAME SHARD'],
    ['Kubernetes', 'KUBERNETES_PORT KUBERNETES_SERVICE_HOST KUBERNETES_PORT_443_TCP_ADDR NATS_PORT NATS_SERVICE_HOST'],
    ['Kubernetes, for services called like settings', 'CHECK_SERVICE_HOST CHECK_PORT EGRESS_PORT_80_TCP_PROTO'],
    ['NATS', 'NATS_USER NATS_PASSWORD NATS_CREDS NATS_CONTEXT NATS_CA NATS_SUBJECT'],
    ['MCP clients', 'MCP_TIMEOUT MCP_TOOL_TIMEOUT MCP_SERVER_URL MAX_MCP_OUTPUT_TOKENS'],
    ['AWS', 'AWS_REGION AWS_PROFILE AWS_ACCESS_KEY_ID TABLE_NAME TABLE STACK_NAME'],
    ['a CI server', 'CI GITHUB_ACTIONS CHECKPOINT_DISABLE HTTP_PROXY NO_PROXY INTERVAL_SECONDS POLL_INTERVAL_SECONDS'],
    ['an init system', 'INVOCATION_ID JOURNAL_STREAM NOTIFY_SOCKET LISTEN_FDS WATCHDOG_USEC JOB_NAME JOB_ID'],
  ])('are ignored: %s', (_who, names) => expect(messagesFor(...names.split(' '))).toEqual([]));

  it('are ignored, as known settings are', () => expect(messagesFor(...SETTING_NAMES)).toEqual([]));
});
