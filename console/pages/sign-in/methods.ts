import { call } from '#console/api/call.ts';
import { useLoad } from '#console/api/load.ts';

/** Sign-in methods at this address: GET /v1/sign-in/methods. */
export type Methods = {
  passkey: { available: boolean; reason: string | null };
  oidc: { name: string } | null;
};

export const useMethods = () => useLoad<Methods>('/v1/sign-in/methods');

type Start = { token?: string; purpose?: 'link'; return_to?: string };

/** Redirects to the identity provider. Throws ApiFailure. @param start `return_to`: path to open after the sign-in */
export async function goToProvider(start: Start): Promise<void> {
  const { url } = await call<{ url: string }>('POST', '/v1/sign-in/oidc', start, { open: start.purpose === undefined });
  location.assign(url);
}
