import { fromEnv } from '@aws-sdk/credential-provider-env';

/**
 * Takes the place of the SDK's whole chain of credential providers in every bundle: a function has its credentials in
 * its environment, and the rest of the chain (files, SSO, web identity, instance metadata) is a fifth of the code.
 */
export const defaultProvider = fromEnv;
