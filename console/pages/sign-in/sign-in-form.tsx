import { useState } from 'preact/hooks';
import { type ApiFailure, asFailure, call } from '#console/api/call.ts';
import { readMe } from '#console/app/session.ts';
import { Button } from '#console/parts/button.tsx';
import { TextField } from '#console/parts/field.tsx';
import { Data, Failure } from '#console/parts/states.tsx';
import { DOCS } from '#console/rules/docs.ts';
import { goToProvider, type Methods, useMethods } from './methods.ts';
import { signInByPasskey } from './passkeys.ts';

type SignInProps = {
  returnTo: string;
  error?: string | undefined;
  onDone?: () => void;
};

/** Shows the sign-in methods. If passkeys do not work at this address, their button is disabled with the reason. */
export function SignIn({ returnTo, error, onDone }: SignInProps) {
  const methods = useMethods();
  const [failure, setFailure] = useState<Pick<ApiFailure, 'message'> | undefined>(
    error ? { message: error } : undefined,
  );
  const [busy, setBusy] = useState(false);
  async function attempt(work: () => Promise<unknown>) {
    setBusy(true);
    setFailure(undefined);
    try {
      await work();
      await readMe();
      onDone?.();
    } catch (error) {
      setFailure(asFailure(error));
    } finally {
      setBusy(false);
    }
  }
  return (
    <section class="card" aria-labelledby="sign-in">
      <p class="brand">Fleetwatch</p>
      <h1 id="sign-in" tabIndex={-1}>
        Sign in
      </h1>
      {failure && <Failure failure={failure} />}
      <Data of={methods}>
        {(found) => (
          <MethodList methods={found} busy={busy} returnTo={returnTo} attempt={(work) => void attempt(work)} />
        )}
      </Data>
    </section>
  );
}

type MethodListProps = {
  methods: Methods;
  busy: boolean;
  returnTo: string;
  attempt: (work: () => Promise<unknown>) => void;
};

function MethodList({ methods: { passkey, oidc }, busy, returnTo, attempt }: MethodListProps) {
  const [key, setKey] = useState('');
  return (
    <>
      <div class="ways">
        <Button kind="main" busy={busy} why={passkey.reason ?? undefined} onClick={() => attempt(signInByPasskey)}>
          Use a passkey
        </Button>
        {passkey.reason && <p class="hint">{passkey.reason}</p>}
        {oidc && (
          <Button busy={busy} onClick={() => attempt(() => goToProvider({ return_to: returnTo }))}>
            Sign in with {oidc.name}
          </Button>
        )}
      </div>
      <p class="or">or</p>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          attempt(() => call('POST', '/v1/sign-in/key', { key: key.trim() }, { open: true }));
        }}
      >
        {/* Lets a password manager store the key for this service. */}
        <input name="username" autocomplete="username" value="Fleetwatch" readOnly hidden />
        <TextField
          label="API key"
          name="key"
          type="password"
          autocomplete="current-password"
          required
          value={key}
          onChange={setKey}
        />
        <Button type="submit" busy={busy}>
          Sign in
        </Button>
      </form>
      <p class="hint">
        You can also open a sign-in link or an invitation. <a href={DOCS.start}>Documentation</a>{' '}
        <a href={DOCS.reference}>API reference</a>
      </p>
    </>
  );
}
