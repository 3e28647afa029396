import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Button } from '#console/parts/button.tsx';
import { Page } from '#console/parts/page.tsx';
import { Empty, Loading, NotAllowed } from '#console/parts/states.tsx';
import type { PageProps, PageRow } from './pages.ts';
import { route } from './route.ts';
import { address } from './router.ts';
import { refusal } from './session.ts';

const loaded = new Map<PageRow['load'], ComponentType<PageProps>>();

const RELOADED = 'fleetwatch.reloaded';
const MIN_RELOAD_INTERVAL_MS = 60_000;

/** Reloads the tab, at most once a minute: after an update, an old tab requests files that no longer exist. */
function reloadOnce(): boolean {
  try {
    if (Date.now() - Number(sessionStorage.getItem(RELOADED)) < MIN_RELOAD_INTERVAL_MS) return false;
    sessionStorage.setItem(RELOADED, String(Date.now()));
  } catch {
    return false;
  }
  location.reload();
  return true;
}

export function PageView() {
  const here = route.value;
  if (!here) return <Unknown />;
  const why = here.row.needs && refusal(here.row.needs);
  if (why !== undefined) {
    return (
      <Page title={here.row.title}>
        <NotAllowed why={why} />
      </Page>
    );
  }
  // A change of the parameters creates a new page; a change of the filters does not.
  return <Loader key={`${here.row.path} ${Object.values(here.params)}`} row={here.row} params={here.params} />;
}

function Loader({ row, params }: { row: PageRow; params: PageProps['params'] }) {
  const [state, setState] = useState<'loading' | 'failed' | 'there'>(loaded.has(row.load) ? 'there' : 'loading');
  useEffect(() => {
    if (loaded.has(row.load)) return;
    let wanted = true;
    row.load().then(
      (file) => {
        loaded.set(row.load, file.default);
        if (wanted) setState('there');
      },
      () => {
        if (wanted && !reloadOnce()) setState('failed');
      },
    );
    return () => {
      wanted = false;
    };
  }, [row]);
  const Component = loaded.get(row.load);
  if (Component && state === 'there') return <Component params={params} query={address.value.query} />;
  return (
    <Page title={row.title}>
      {state === 'loading' ? (
        <Loading />
      ) : (
        <Empty title="This page could not be loaded">
          <p>The service may be unreachable, or it was updated. Your input is kept.</p>
          <Button icon="reload" onClick={() => location.reload()}>
            Reload page
          </Button>
        </Empty>
      )}
    </Page>
  );
}

const Unknown = () => (
  <Page title="Page not found">
    <Empty title={`No page at ${address.value.path}`}>
      <a href="#/">Open the fleet</a>
    </Empty>
  </Page>
);
