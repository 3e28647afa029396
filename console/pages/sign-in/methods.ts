import { call } from '#console/api/call.ts';
import { useLoad } from '#console/api/load.ts';

/** How one can sign in at this address: GET /v1/sign-in/methods. */
export type Methods = {
  passkey: { available: boolean; reason: string | null };
  /** The identity provider of the operator. */
  oidc: { name: string } | null;
};

export const useMethods = () => useLoad<Methods>('/v1/sign-in/methods');

type Start = { token?: string; purpose?: 'link'; return_to?: string };

/** Leaves for the identity provider. @param start `return_to`: the path that it leads back to. Throws ApiFailure. */
export async function goToProvider(start: Start): Promise<void> {
  const { url } = await call<{ url: string }>('POST', '/v1/sign-in/oidc', start, { open: start.purpose === undefined });
  location.assign(url);
}
