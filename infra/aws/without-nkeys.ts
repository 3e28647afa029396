/**
 * Takes the place of `@nats-io/nkeys` (and the cryptography under it) in every bundle: NATS_URL carries a user and a
 * password, or a token, never a seed.
 */
export function fromSeed(): never {
  throw new Error('NATS_URL takes user:password@ or token@; keys of the kind NKEY are not supported.');
}
