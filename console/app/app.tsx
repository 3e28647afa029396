import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { Failure, Loading } from '#console/parts/states.tsx';
import { live } from './live.ts';
import { PageView } from './page-view.tsx';
import { route } from './route.ts';
import { address, followAddress } from './router.ts';
import { identity, me, meFailure, readMe } from './session.ts';
import { Shell } from './shell.tsx';
import { SignedOut } from './signed-out.tsx';
import { TabSign } from './tab-title.tsx';
import { Notices } from './toasts.tsx';

/** What is in the window: pages for everybody stand alone, all others in the shell of who is signed in. */
export function App() {
  useEffect(() => {
    followAddress(arrive);
  }, []);
  const who = identity.value;
  useEffect(() => {
    if (who === undefined) return;
    live.start();
    return () => live.stop();
  }, [who]);
  return (
    <>
      <View />
      <TabSign />
      <Notices />
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
  // `?tv`: a page on a wall, without what stands around it.
  if (address.value.query.has('tv'))
    return (
      <main class="wall">
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

/** Behind a navigation the keyboard begins at the top of the new page, and a reader hears its heading. */
function arrive(scrollTo: number): void {
  requestAnimationFrame(() => {
    window.scrollTo(0, scrollTo);
    document.querySelector<HTMLElement>('h1')?.focus({ preventScroll: true });
  });
}
