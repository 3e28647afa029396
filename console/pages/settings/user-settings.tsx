import { refusal } from '#console/app/session.ts';
import { useMethods } from '#console/pages/sign-in/methods.ts';
import { Data, NotAllowed } from '#console/parts/states.tsx';
import { Identities } from './identities.tsx';
import { Passkeys } from './passkeys.tsx';
import { Sessions } from './sessions.tsx';
import { You } from './you.tsx';

export function UserSettings() {
  const methods = useMethods();
  const why = refusal('own');
  if (why !== undefined) return <NotAllowed why={why} />;
  return (
    <Data of={methods}>
      {({ passkey, oidc }) => (
        <>
          <You />
          <Passkeys why={passkey.reason ?? undefined} />
          {oidc && <Identities provider={oidc.name} />}
          <Sessions />
        </>
      )}
    </Data>
  );
}
