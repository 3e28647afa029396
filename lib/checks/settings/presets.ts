/** Presets of `POST /v1/monitors`. Pure, because the console builds its settings test with them. */

/**
 * Parsed target. `url`: for `web` presets. `suffix`: port and path, except default ones. `scheme`: of a URL,
 * for presets with `ports`; else empty.
 */
type Target = { host: string; port: number; url: string; suffix: string; scheme: string };

type Problem = { path: string; message: string };

type Preset = {
  title: string;
  about: string;
  /** Kind of target. none: a job sends its own heartbeats. */
  target: 'web' | 'host' | 'domain' | 'none';
  example: string;
  port?: number;
  /** Default ports by scheme of the target. */
  ports?: Readonly<Record<string, number>>;
  keyword?: true;
  interval_seconds?: number;
  retry_interval_seconds?: number;
  failure_threshold?: number;
  check: (target: Target) => { check_type: string; config?: Record<string, unknown> } & Record<string, unknown>;
};

/** A failure is confirmed by a second probe 10 s later, so an outage is reported within a minute. */
const OFTEN = { interval_seconds: 30, retry_interval_seconds: 10, failure_threshold: 2 };
const EXPIRES_SOON = { source: 'days_left', operator: 'at_least', severity: 'warn' };
const STARTTLS_PORTS = { smtp: 587, imap: 143, pop3: 110, ftp: 21, postgres: 5432 };
const TLS_PORTS = { smtps: 465, imaps: 993, pop3s: 995, ldaps: 636 };
const IS_JSON = { source: 'json', property: '$', operator: 'exists' };

const tcpCheck = ({ host, port }: Target, steps: Record<string, string>[], tls = false) => ({
  check_type: 'tcp',
  config: { host, port, ...(tls && { tls }), ...(steps.length > 0 && { steps }) },
});

/** All presets by name. The first is the default. */
export const PRESETS = {
  website: {
    title: 'Website',
    about: 'Status 200 after redirects, and the keyword in the response if you set one.',
    target: 'web',
    example: 'https://shop.example.com',
    keyword: true,
    ...OFTEN,
    check: ({ url }) => ({ check_type: 'http', target_url: url }),
  },
  json_api: {
    title: 'JSON API',
    about: 'Status 200 and a JSON response, with the keyword if you set one.',
    target: 'web',
    example: 'https://api.example.com/health',
    keyword: true,
    ...OFTEN,
    check: ({ url }) => ({ check_type: 'http', target_url: url, config: { assertions: [IS_JSON] } }),
  },
  certificate: {
    title: 'Certificate',
    about:
      'A trusted TLS certificate. Degraded in the last 14 days before it expires, down if it is not valid. For STARTTLS, add the protocol: smtp://mail.example.com.',
    target: 'host',
    example: 'shop.example.com',
    port: 443,
    ports: { ...STARTTLS_PORTS, ...TLS_PORTS },
    interval_seconds: 3600,
    retry_interval_seconds: 60,
    failure_threshold: 2,
    check: ({ host, port, scheme }) => ({
      check_type: 'tls',
      config: {
        host,
        port,
        ...(scheme in STARTTLS_PORTS && { starttls: scheme }),
        assertions: [{ ...EXPIRES_SOON, value: 14 }],
      },
    }),
  },
  domain: {
    title: 'Domain',
    about:
      'The registration of a domain. Degraded in the last 30 days before it expires. Some registries, such as that of .de, do not publish the date.',
    target: 'domain',
    example: 'example.com',
    failure_threshold: 2,
    check: ({ host }) => ({
      check_type: 'domain',
      config: { domain: host, assertions: [{ ...EXPIRES_SOON, value: 30 }] },
    }),
  },
  cron_job: {
    title: 'Cron job',
    about: 'A job that pings an address. Down if it fails or does not report within an hour after each due time.',
    target: 'none',
    example: '',
    check: () => ({ check_type: 'push' }),
  },
  redis: {
    title: 'Redis',
    about: 'The response to PING. A server that requires a password counts as up.',
    target: 'host',
    example: 'redis.example.com',
    port: 6379,
    ...OFTEN,
    check: (target) => tcpCheck(target, [{ send: 'PING\r\n' }, { matches: '^([+]PONG|-NOAUTH)' }]),
  },
  postgres: {
    title: 'PostgreSQL',
    about: 'The response to an SSL request, with or without TLS. It does not log in.',
    target: 'host',
    example: 'db.example.com',
    port: 5432,
    ...OFTEN,
    check: (target) =>
      tcpCheck(target, [{ send: '\u0000\u0000\u0000\u0008\u0004\u00d2\u0016\u002f' }, { matches: '^[SN]' }]),
  },
  smtp: {
    title: 'Mail server (SMTP)',
    about: 'The greeting and the response to EHLO. TLS from the start on port 465.',
    target: 'host',
    example: 'mail.example.com:587',
    port: 587,
    ...OFTEN,
    check: (target) =>
      tcpCheck(
        target,
        [
          { expect: '220' },
          { send: 'EHLO fleetwatch\r\n' },
          { expect: '250' },
          { send: 'QUIT\r\n' },
          { expect: '221' },
        ],
        target.port === 465,
      ),
  },
  tcp_port: {
    title: 'TCP port',
    about: 'A connection to a port.',
    target: 'host',
    example: 'ssh.example.com:22',
    ...OFTEN,
    check: (target) => tcpCheck(target, []),
  },
} satisfies Record<string, Preset>;

export type PresetName = keyof typeof PRESETS;
export const presetOf = (name: PresetName): Preset => PRESETS[name];

type MonitorRequest = {
  preset: PresetName;
  target?: string | undefined;
  name?: string | undefined;
  keyword?: string | undefined;
  interval_seconds?: number | undefined;
  schedule?: string | undefined;
  timezone?: string | undefined;
};

export type MonitorSettings = {
  /** Host, or the name of a job: default name of the entity. */
  host: string;
  /** Part of the check's slug for a path or port; empty without. */
  suffix: string;
  /** Settings of the check without entity and slug. */
  check: Record<string, unknown>;
  notes: string[];
};

/** Returns the settings of a monitor. @param minInterval minimum interval of the installation in seconds */
export function monitorSettings(request: MonitorRequest, minInterval = 1): MonitorSettings | Problem {
  const preset = presetOf(request.preset);
  const unused = unusedProperty(request, preset);
  if (unused) return { path: unused, message: `is not a setting of the preset ${request.preset}; omit it` };
  const parsed = targetOf(request, preset);
  if ('message' in parsed) return parsed;
  const { target, notes } = parsed;
  const { config, ...settings } = preset.check(target);
  const { keyword, schedule, timezone } = request;
  return {
    host: target.host,
    suffix: target.suffix,
    check: {
      name: nameOf(preset, target),
      ...settings,
      ...(keyword && { body_contains: keyword }),
      ...timing(request, preset, minInterval),
      config: { ...config, ...(schedule && { schedule }), ...(timezone && { timezone }) },
    },
    notes,
  };
}

/** Returns the name of the check in alerts: `Website /health`, `Redis :6380`. The port of a website is omitted. */
function nameOf({ title, target }: Preset, { suffix }: Target): string {
  const shown = target === 'web' ? suffix.replace(/^:\d+/, '') : suffix;
  return `${title.replace(/ \(.*/, '')} ${shown.slice(0, 100)}`.trim();
}

function unusedProperty(request: MonitorRequest, { target, keyword }: Preset): string | undefined {
  if (target === 'none') return (['target', 'keyword'] as const).find((name) => request[name]);
  const jobOnly = (['schedule', 'timezone'] as const).find((name) => request[name]);
  return jobOnly ?? (request.keyword && !keyword ? 'keyword' : undefined);
}

function timing({ interval_seconds }: MonitorRequest, preset: Preset, minInterval: number): Record<string, number> {
  const { failure_threshold, retry_interval_seconds: retry = 0 } = preset;
  const wanted = preset.interval_seconds && Math.max(preset.interval_seconds, minInterval);
  const interval = interval_seconds ?? wanted;
  return {
    ...(interval !== undefined && { interval_seconds: interval }),
    ...(failure_threshold !== undefined && { failure_threshold }),
    ...(retry >= minInterval && interval !== undefined && retry < interval && { retry_interval_seconds: retry }),
  };
}

type Parsed = { target: Target; notes: string[] };

const SCHEME = /^[a-z][a-z0-9+.-]*:\/\//i;

function targetOf({ preset: name, target: given, name: job }: MonitorRequest, preset: Preset): Parsed | Problem {
  if (preset.target === 'none') {
    if (!job) return { path: 'name', message: `is required for the preset ${name}: the name of the job` };
    return { target: { host: job, port: 0, url: '', suffix: '', scheme: '' }, notes: [] };
  }
  const text = given?.trim() ?? '';
  if (text === '') return { path: 'target', message: `is required, such as ${preset.example}` };
  const parsed = preset.target === 'web' ? webTarget(text) : hostTarget(text, preset, name);
  return typeof parsed === 'string' ? { path: 'target', message: parsed } : parsed;
}

/** Parses a URL, and adds https:// if the scheme is missing. Returns a message if it is not valid. */
function webTarget(text: string): Parsed | string {
  const hasScheme = SCHEME.test(text);
  const url = URL.parse(hasScheme ? text : `https://${text}`);
  if (!url || !/^https?:$/.test(url.protocol) || url.hostname === '') {
    return 'must be an http or https URL or a host name, such as https://example.com/health';
  }
  if (url.username || url.password) return 'must not contain user:password@; create the check with a header instead';
  const path = url.pathname.replace(/\/$/, '') + url.search;
  const port = url.port && `:${url.port}`;
  return {
    target: { host: plainHost(url.hostname), port: Number(url.port), url: url.href, suffix: port + path, scheme: '' },
    notes: hasScheme ? [] : [`https:// was added: ${url.href}`],
  };
}

/** Parses `host`, `host:port`, or a URL, whose path is ignored. Returns a message if it is not valid. */
function hostTarget(text: string, preset: Preset, name: string): Parsed | string {
  const example = `such as ${preset.example}`;
  // Not parsed with its own scheme, because URL omits a default port: https://host:443 would look like a missing port.
  const url = URL.parse(`tcp://${text.replace(SCHEME, '')}`);
  if (!url || url.hostname === '') return `must be a host name or host:port, ${example}`;
  if (url.username || url.password) return `must not contain user:password@; the preset ${name} does not log in`;
  const host = plainHost(url.hostname).toLowerCase();
  const rest = url.pathname.replace(/^\//, '') + url.search;
  const notes = rest === '' ? [] : ['Only host and port of the target are used, not its path.'];
  if (preset.target === 'domain') {
    const domain = host.replace(/^www\./, '');
    if (domain !== host) notes.push(`www. was removed: ${domain}`);
    return { target: { host: domain, port: 0, url: '', suffix: '', scheme: '' }, notes };
  }
  const given = /^[a-z0-9+.-]+(?=:\/\/)/i.exec(text)?.[0].toLowerCase() ?? '';
  const scheme = preset.ports && Object.hasOwn(preset.ports, given) ? given : '';
  const port = Number(url.port) || (preset.ports?.[scheme] ?? preset.port);
  if (!port) return `must include the port, ${example}`;
  const suffix = port === preset.port ? '' : `:${port}`;
  return { target: { host, port, url: '', suffix, scheme }, notes };
}

/** Removes the brackets of an IPv6 address. */
const plainHost = (host: string): string => host.replace(/^\[(.*)\]$/, '$1');
