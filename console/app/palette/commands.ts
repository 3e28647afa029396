import type { PaletteTarget } from '#console/rules/palette.ts';
import type { Guarded } from '#lib/platform/http/access.ts';

type Command = Pick<PaletteTarget, 'href' | 'name'> & {
  synonyms: string;
  needs?: Guarded;
};

/** Commands of the palette: each opens a page, or the dialog that it names. */
export const commands: readonly Command[] = [
  {
    href: '#/?new=monitor',
    name: 'Monitor a URL',
    synonyms: 'new add create website http probe certificate domain redis postgres smtp cron job',
    needs: 'write',
  },
  {
    href: '#/checks/new',
    name: 'New check',
    synonyms: 'add create http tcp dns tls heartbeat cron push job',
    needs: 'write',
  },
  { href: '#/start', name: 'Start setup', synonyms: 'first steps begin onboarding', needs: 'write' },
  { href: '#/catalog?new=entity', name: 'New entity', synonyms: 'add create service host', needs: 'write' },
  { href: '#/catalog?new=blueprint', name: 'New blueprint', synonyms: 'add create kind of entity', needs: 'write' },
  { href: '#/catalog', name: 'Import entities', synonyms: 'paste csv table upload', needs: 'write' },
  { href: '#/incidents?new=incident', name: 'New incident', synonyms: 'add create outage report', needs: 'respond' },
  {
    href: '#/alerts/silences?new=silence',
    name: 'New silence',
    synonyms: 'add create mute snooze pause quiet alerts',
    needs: 'suppress',
  },
  {
    href: '#/alerts/windows?new=window',
    name: 'New maintenance window',
    synonyms: 'add create plan downtime schedule',
    needs: 'suppress',
  },
  {
    href: '#/alerts/channels?new=channel',
    name: 'New channel',
    synonyms: 'add create slack e-mail email webhook pager notify notification recipient',
    needs: 'write',
  },
  {
    href: '#/on-call?new=rota',
    name: 'New on-call rota',
    synonyms: 'add create schedule shift rotation duty pager',
    needs: 'write',
  },
  { href: '#/alerts/silences', name: 'Silences', synonyms: 'mute snooze list' },
  { href: '#/alerts/windows?view=calendar', name: 'Maintenance calendar', synonyms: 'windows downtime list' },
  { href: '#/alerts/channels', name: 'Channels', synonyms: 'slack e-mail email webhook pager notify notification' },
  { href: '#/alerts/deliveries', name: 'Deliveries', synonyms: 'sent failed alerts log notifications' },
  {
    href: '#/alerts/defaults',
    name: 'Default policy',
    synonyms: 'cooldown reminder repeat escalation flapping rules settings',
  },
  { href: '#/alerts/no-channel', name: 'Checks without a channel', synonyms: 'not alerted missing' },
  { href: '#/agents', name: 'Connect an agent', synonyms: 'mcp ai tools skills claude assistant' },
  {
    href: '#/settings/team?new=member',
    name: 'Invite a member',
    synonyms: 'new add team user person people colleague role',
    needs: 'manage',
  },
  { href: '#/settings/keys?new=key', name: 'New API key', synonyms: 'add create token access', needs: 'own' },
  { href: '#/settings/keys', name: 'API keys', synonyms: 'token rotate access' },
  { href: '#/settings/sign-in?new=passkey', name: 'New passkey', synonyms: 'add create sign-in login device' },
  {
    href: '#/actions?new=action',
    name: 'New action',
    synonyms: 'add create repair restart pipeline',
    needs: 'configure',
  },
  { href: '#/settings/ping-keys', name: 'Ping keys', synonyms: 'heartbeat slug token' },
  { href: '#/settings/sign-in', name: 'Passkeys and sessions', synonyms: 'sign-in login password security sso' },
  { href: '#/settings/audit', name: 'Audit log', synonyms: 'changes history who' },
  { href: '#/settings/account', name: 'Account limits', synonyms: 'quota usage retention plan' },
  { href: '#/settings/look', name: 'Appearance', synonyms: 'theme dark light time zone utc' },
  { href: '#/?tv', name: 'Wall view', synonyms: 'tv monitor screen dashboard' },
];
