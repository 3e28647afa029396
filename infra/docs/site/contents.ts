/** Folders of the docs that the service shows, and their pages in order. */
export const CONTENTS = {
  use: {
    title: 'Use',
    pages: [
      'monitors',
      'checks',
      'check-types',
      'assertions',
      'heartbeats',
      'cron-jobs',
      'certificates-and-domains',
      'catalog',
      'dependencies',
      'alerts',
      'channels',
      'channel-types',
      'escalation',
      'on-call',
      'maintenance',
      'incidents',
      'status-pages',
      'troubleshooting',
      'actions',
      'remediation',
      'uptime-and-reports',
      'slos',
      'badges',
      'metrics',
      'states-and-history',
      'agents',
      'webhooks',
      'checks-as-code',
      'console',
      'sign-in',
      'users-and-keys',
      'comparison',
      'from-uptime-kuma',
      'from-healthchecks',
      'from-gatus',
    ],
  },
  operate: {
    title: 'Operate',
    pages: ['install', 'settings', 'limits', 'backup-and-upgrade', 'sso', 'scale', 'aws-deploy', 'aws-monitor'],
  },
  api: { title: 'API', pages: ['README', 'auth', 'errors', 'endpoints'] },
} as const satisfies Record<string, { title: string; pages: readonly string[] }>;

type Folder = keyof typeof CONTENTS;
export const FOLDERS = Object.keys(CONTENTS) as Folder[];

/** Address of each page by its file, such as `docs/use/alerts.md`: `/docs/use/alerts`. */
export const ADDRESSES: ReadonlyMap<string, string> = new Map(
  FOLDERS.flatMap((folder) =>
    CONTENTS[folder].pages.map((page): [string, string] => [
      `docs/${folder}/${page}.md`,
      `/docs/${folder}/${page === 'README' ? 'overview' : page}`,
    ]),
  ),
);
