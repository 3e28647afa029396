/** Replaces unused parts of the AWS SDK: those for browsers and for event streams. Throws if loaded. */
throw new Error('This part of the AWS SDK is not in the bundles: infra/aws/bundle/bundle.ts');

export {};
