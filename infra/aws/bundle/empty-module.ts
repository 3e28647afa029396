/** Replaces unused parts of the SDK for browsers and event streams. Throws if loaded. */
throw new Error('This part of the AWS SDK is not in the bundles: infra/aws/bundle/bundle.ts');

export {};
