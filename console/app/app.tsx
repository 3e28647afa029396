import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { Failure, Loading } from '#console/parts/states.tsx';
import { isOutdated, live } from './live.ts';
import { PageView } from './page-view.tsx';
import { route } from './route.ts';
import { address, followAddress } from './router.ts';
import { identity, me, meFailure, readMe } from './session.ts';
import { Shell } from './shell.tsx';
import { SignedOut } from './signed-out.tsx';
import { TabTitle } from './tab-title.tsx';
import { Toasts } from './toasts.tsx';

/** Root of the console. Pages have a shell, except pages that need no session and pages on a wall monitor (`?tv`). */
export function App() {
  useEffect(() => {
    followAddress(arrive);
  }, []);
  const user = identity.value;
  useEffect(() => {
    if (user === undefined) return;
    live.start();
    return () => live.stop();
  }, [user]);
  return (
    <>
      <View />
      <TabTitle />
      <Toasts />
    </>
  );
}

function View() {
  if (route.value?.row.open)
    return (
      <Alone>
        <PageView />
      </Alone>
    );
  if (me.value === null)
    return (
      <Alone>
        <SignedOut />
      </Alone>
    );
  if (!me.value) {
    const failure = meFailure.value;
    return (
      <Alone>{failure ? <Failure failure={failure} retry={() => void readMe()} /> : <Loading what="Opening" />}</Alone>
    );
  }
  if (address.value.query.has('tv'))
    return (
      <main class={isOutdated.value ? 'wall outdated' : 'wall'}>
        <PageView key={identity.value} />
      </main>
    );
  return (
    <Shell key={identity.value}>
      <PageView />
    </Shell>
  );
}

const Alone = ({ children }: { children: ComponentChildren }) => <main class="alone">{children}</main>;

/** Scrolls the new page, and moves the focus to its heading, so that a screen reader announces it. */
function arrive(scrollTo: number): void {
  requestAnimationFrame(() => {
    window.scrollTo(0, scrollTo);
    document.querySelector<HTMLElement>('h1')?.focus({ preventScroll: true });
  });
}
