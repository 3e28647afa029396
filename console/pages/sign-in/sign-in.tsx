import { useEffect } from 'preact/hooks';
import type { PageProps } from '#console/app/pages.ts';
import { replaceAddress } from '#console/app/router.ts';
import { me } from '#console/app/session.ts';
import { Failure } from '#console/parts/states.tsx';
import { signInError } from './sign-in-errors.ts';
import { SignIn } from './sign-in-form.tsx';

/** Where the identity provider leads back to when something went wrong. Who is signed in goes on to the fleet. */
export default function SignInPage({ query }: PageProps) {
  const isIn = Boolean(me.value);
  const code = query.get('error');
  const told = code ? signInError(code) : undefined;
  useEffect(() => {
    if (isIn && !told) replaceAddress('/');
  }, [isIn, told]);
  if (!isIn) return <SignIn returnTo="/" told={told} onDone={() => replaceAddress('/')} />;
  return (
    <section class="card">
      <h1 tabIndex={-1}>Sign in</h1>
      {told && <Failure failure={{ message: told }} />}
      <a href="#/">You are signed in: to the fleet</a>
    </section>
  );
}
