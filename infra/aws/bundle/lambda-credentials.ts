import { fromEnv } from '@aws-sdk/credential-provider-env';

/**
 * Replaces the credential provider chain of the SDK: a function has its credentials in its environment, and the other
 * providers (files, SSO, web identity, instance metadata) are a fifth of the code.
 */
export const defaultProvider = fromEnv;
