import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { Button } from '#console/parts/button.tsx';
import { Icon } from '#console/parts/icon.tsx';
import { StateShape } from '#console/parts/state-mark.tsx';
import { logoState } from './counts.ts';
import { DiskBanner } from './disk-banner.tsx';
import { KeysHelp } from './keys-help.tsx';
import { LastUpdated, OutdatedBanner } from './last-updated.tsx';
import { isOutdated } from './live.ts';
import { overlay, useShortcuts } from './overlay.ts';
import { pages } from './pages.ts';
import { Palette } from './palette/palette.tsx';
import { address } from './router.ts';
import { UserMenu } from './user-menu.tsx';

/** Frame of the pages, except with `?tv`: navigation, search, time of the last update, and the user menu. */
export function Shell({ children }: { children: ComponentChildren }) {
  useShortcuts();
  return (
    <div class={isOutdated.value ? 'shell outdated' : 'shell'}>
      <button type="button" class="skip" onClick={() => document.querySelector<HTMLElement>('#main')?.focus()}>
        Skip to content
      </button>
      <header class="top">
        <a class="brand" href="#/">
          <StateShape state={logoState.value} />
          Fleetwatch
        </a>
        <button type="button" class="jump" aria-label="Jump to (Ctrl K)" onClick={() => (overlay.value = 'palette')}>
          <Icon name="search" />
          <span>Jump to…</span>
          <kbd>Ctrl K</kbd>
        </button>
        <LastUpdated />
        <Button quiet icon="help" label="Keyboard shortcuts (?)" onClick={() => (overlay.value = 'keys')} />
        <UserMenu />
      </header>
      <Navigation />
      <main id="main" tabIndex={-1}>
        <OutdatedBanner />
        <DiskBanner />
        {children}
      </main>
      {overlay.value === 'palette' && <Palette onClose={() => (overlay.value = undefined)} />}
      {overlay.value === 'keys' && <KeysHelp onClose={() => (overlay.value = undefined)} />}
    </div>
  );
}

function Navigation() {
  const { path } = address.value;
  const [open, setOpen] = useState(false);
  const isIn = (start: string) => (start === '/' ? path === '/' : path === start || path.startsWith(`${start}/`));
  return (
    <nav class={open ? 'side open' : 'side'} aria-label="Pages">
      {pages.map(
        ({ path: to, nav }) =>
          nav && (
            <a key={to} href={`#${to}`} aria-current={isIn(to) ? 'page' : undefined} onClick={() => setOpen(false)}>
              <Icon name={nav.icon} />
              {nav.label}
            </a>
          ),
      )}
      <button type="button" aria-expanded={open} onClick={() => setOpen(!open)}>
        <Icon name="menu" />
        More
      </button>
    </nav>
  );
}
