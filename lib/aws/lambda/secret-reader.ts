import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { CLIENT_SETTINGS } from '#lib/aws/client-settings.ts';

/** Returns a function that reads the current text of a secret. Loaded when the first secret is read. */
export function secretReader(): (name: string) => Promise<string> {
  const client = new SecretsManagerClient(CLIENT_SETTINGS);
  return async (SecretId) => {
    const { SecretString } = await client.send(new GetSecretValueCommand({ SecretId }));
    if (!SecretString) throw new Error(`The secret ${SecretId} has no text.`);
    return SecretString;
  };
}
