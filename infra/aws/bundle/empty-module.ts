/**
 * Takes the place of what the SDK would load in a browser (bowser) or for event streams, which no call of ours has. If
 * it is asked for after all, that is said.
 */
throw new Error('This part of the AWS SDK is left out of the bundles: infra/aws/bundle/bundle.ts');

export {};
