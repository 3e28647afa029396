import { SignIn } from '#console/pages/sign-in/sign-in-form.tsx';
import { address } from './router.ts';

/** In place of a page while nobody is signed in. The address stays, so that one is back where one was. */
export const SignedOut = () => {
  const { path, query } = address.value;
  const search = query.toString();
  const whole = `/#${path}${search && `?${search}`}`;
  // What the API takes (lib/identity/oidc/begin.ts).
  const returnTo = whole !== '/#/' && /^[\x21-\x5b\x5d-\x7e]{1,500}$/.test(whole) ? whole : '/';
  return <SignIn returnTo={returnTo} />;
};
