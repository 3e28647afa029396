import type { ComponentType } from 'preact';
import { Account } from './account.tsx';
import { Appearance } from './appearance.tsx';
import { Audit } from './audit/audit.tsx';
import { Keys } from './keys/keys.tsx';
import { PingKeys } from './ping-keys.tsx';
import { Team } from './team/team.tsx';
import { UserSettings } from './user-settings.tsx';

/** Tabs of the settings, in order; the first is the default. */
export const tabs: readonly { slug: string; name: string; Content: ComponentType }[] = [
  { slug: 'account', name: 'Account', Content: Account },
  { slug: 'team', name: 'Team', Content: Team },
  { slug: 'keys', name: 'API keys', Content: Keys },
  { slug: 'ping-keys', name: 'Ping keys', Content: PingKeys },
  { slug: 'sign-in', name: 'You', Content: UserSettings },
  { slug: 'audit', name: 'Audit log', Content: Audit },
  { slug: 'look', name: 'Appearance', Content: Appearance },
];
