/**
 * Replaces parts of the SDK for browsers (bowser) and event streams, which the service does not use. Throws if loaded.
 */
throw new Error('This part of the AWS SDK is not in the bundles: infra/aws/bundle/bundle.ts');

export {};
