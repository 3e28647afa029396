import { useEffect } from 'preact/hooks';
import type { PageProps } from '#console/app/pages.ts';
import { replaceAddress } from '#console/app/router.ts';
import { me } from '#console/app/session.ts';
import { Failure } from '#console/parts/states.tsx';
import { signInError } from './sign-in-errors.ts';
import { SignIn } from './sign-in-form.tsx';

/** Sign-in page. The identity provider returns to it after an error. Signed-in users continue to the fleet. */
export default function SignInPage({ query }: PageProps) {
  const isSignedIn = Boolean(me.value);
  const code = query.get('error');
  const error = code ? signInError(code) : undefined;
  useEffect(() => {
    if (isSignedIn && !error) replaceAddress('/');
  }, [isSignedIn, error]);
  if (!isSignedIn) return <SignIn returnTo="/" error={error} onDone={() => replaceAddress('/')} />;
  return (
    <section class="card">
      <h1 tabIndex={-1}>Sign in</h1>
      {error && <Failure failure={{ message: error }} />}
      <a href="#/">Continue to the fleet</a>
    </section>
  );
}
