import { SignIn } from '#console/pages/sign-in/sign-in-form.tsx';
import { address } from './router.ts';

/** Sign-in instead of the page. The address stays, so that the user returns to the page. */
export const SignedOut = () => {
  const { path, query } = address.value;
  const search = query.toString();
  const whole = `/#${path}${search && `?${search}`}`;
  // The format that the API accepts (lib/identity/oidc/begin.ts).
  const returnTo = whole !== '/#/' && /^[\x21-\x5b\x5d-\x7e]{1,500}$/.test(whole) ? whole : '/';
  return <SignIn returnTo={returnTo} />;
};
