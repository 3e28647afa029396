import { fromEnv } from '@aws-sdk/credential-provider-env';

/** Replaces the credential chain, a fifth of the SDK, because Lambda puts credentials in the environment. */
export const defaultProvider = fromEnv;
