import { useState } from 'preact/hooks';
import { type ApiFailure, asFailure, call } from '#console/api/call.ts';
import type { PageProps } from '#console/app/pages.ts';
import { hideAddress } from '#console/app/router.ts';
import { readMe } from '#console/app/session.ts';
import { Button } from '#console/parts/button.tsx';
import { Data, Failure } from '#console/parts/states.tsx';
import { useMethods } from './methods.ts';
import { OfferPasskey } from './offer-passkey.tsx';

/** Page of a sign-in link. It needs a click, because mail scanners open links. */
export default function LinkPage({ params }: PageProps) {
  const methods = useMethods();
  const [failure, setFailure] = useState<ApiFailure | undefined>(undefined);
  const [state, setState] = useState<'new' | 'busy' | 'done'>('new');
  async function use() {
    setState('busy');
    setFailure(undefined);
    try {
      await call('POST', '/v1/sign-in/link', { token: params.token }, { open: true });
      hideAddress();
      await readMe();
      setState('done');
    } catch (error) {
      setFailure(asFailure(error));
      setState('new');
    }
  }
  if (state === 'done') return <Data of={methods}>{(found) => <OfferPasskey passkey={found.passkey} />}</Data>;
  return (
    <section class="card" aria-labelledby="link">
      <p class="brand">Fleetwatch</p>
      <h1 id="link" tabIndex={-1}>
        Sign in with a link
      </h1>
      <p>The link works once.</p>
      {failure && <Failure failure={failure} />}
      <div class="ways">
        <Button kind="main" busy={state === 'busy'} onClick={() => void use()}>
          Sign in
        </Button>
        <a href="#/sign-in">Other sign-in methods</a>
      </div>
    </section>
  );
}
