import { Button } from '#console/parts/button.tsx';
import { Menu } from '#console/parts/menu.tsx';
import { type Theme, theme, zone } from './appearance.ts';
import { me, signOut } from './session.ts';
import { showError } from './toasts.tsx';

const THEMES: readonly Theme[] = ['auto', 'light', 'dark'];

/** Menu with the signed-in user, display settings, and sign-out. */
export function UserMenu() {
  const account = me.value;
  if (!account) return null;
  const next = THEMES[(THEMES.indexOf(theme.value) + 1) % THEMES.length]!;
  return (
    <Menu label={`Signed in as ${account.user.name || account.user.email}`} icon="person">
      <p class="who">
        <strong>{account.user.name || account.user.email}</strong>
        <span>
          {account.role} of {account.name}
          {account.is_read_only && ', read-only'}
          {account.key?.scopes && `, ${account.key.scopes.join(', ')}`}
        </span>
      </p>
      <a class="button quiet" href="#/settings">
        Settings
      </a>
      <Button quiet onClick={() => (theme.value = next)}>
        Theme: {theme.value}
      </Button>
      <Button quiet onClick={() => (zone.value = zone.value === 'utc' ? 'local' : 'utc')}>
        Times: {zone.value === 'utc' ? 'UTC' : 'local'}
      </Button>
      <Button quiet icon="out" onClick={() => signOut().catch(showError)}>
        Sign out
      </Button>
    </Menu>
  );
}
