import type { ComponentType } from 'preact';
import { Account } from './account.tsx';
import { Appearance } from './appearance.tsx';
import { Audit } from './audit/audit.tsx';
import { Keys } from './keys/keys.tsx';
import { OwnSignIns } from './own-sign-ins.tsx';
import { PingKeys } from './ping-keys.tsx';
import { Team } from './team/team.tsx';

/** Tabs of the settings, in order; the first is the default. */
export const parts: readonly { part: string; name: string; Part: ComponentType }[] = [
  { part: 'account', name: 'Account', Part: Account },
  { part: 'team', name: 'Team', Part: Team },
  { part: 'keys', name: 'API keys', Part: Keys },
  { part: 'ping-keys', name: 'Ping keys', Part: PingKeys },
  { part: 'sign-in', name: 'You', Part: OwnSignIns },
  { part: 'audit', name: 'Audit log', Part: Audit },
  { part: 'look', name: 'Appearance', Part: Appearance },
];
