import type { PaletteTarget } from '#console/rules/palette.ts';
import type { Guarded } from '#lib/platform/http/access.ts';

type Command = Pick<PaletteTarget, 'href' | 'name'> & {
  synonyms: string;
  /** Access that it needs; without it, the palette omits the command. */
  needs?: Guarded;
};

/** Commands of the palette: each leads to the page on which it is done. */
export const commands: readonly Command[] = [
  {
    href: '#/checks/new',
    name: 'New check',
    synonyms: 'add create monitor url website http tcp dns tls heartbeat cron push job',
    needs: 'write',
  },
  { href: '#/start', name: 'Start setup', synonyms: 'first steps begin onboarding', needs: 'write' },
  { href: '#/catalog', name: 'New entity', synonyms: 'add create service host blueprint paste csv', needs: 'write' },
  { href: '#/incidents', name: 'New incident', synonyms: 'add create outage report', needs: 'respond' },
  { href: '#/alerts/silences', name: 'Silence alerts', synonyms: 'mute snooze pause quiet', needs: 'write' },
  {
    href: '#/alerts/windows',
    name: 'Plan maintenance',
    synonyms: 'new add window downtime schedule calendar',
    needs: 'write',
  },
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
    href: '#/settings/team',
    name: 'Invite a member',
    synonyms: 'team user person people colleague role',
    needs: 'manage',
  },
  { href: '#/settings/keys', name: 'API keys', synonyms: 'token new create rotate access' },
  { href: '#/settings/ping-keys', name: 'Ping keys', synonyms: 'heartbeat slug token' },
  { href: '#/settings/sign-in', name: 'Passkeys and sessions', synonyms: 'sign-in login password security sso' },
  { href: '#/settings/audit', name: 'Audit log', synonyms: 'changes history who' },
  { href: '#/settings/account', name: 'Account limits', synonyms: 'quota usage retention plan' },
  { href: '#/settings/look', name: 'Appearance', synonyms: 'theme dark light time zone utc' },
  { href: '#/?tv', name: 'Wall view', synonyms: 'tv monitor screen dashboard' },
];
