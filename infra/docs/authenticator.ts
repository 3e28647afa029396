import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  sign,
} from 'node:crypto';
import type { CreationOptions, RequestOptions } from '#lib/identity/passkeys/options.ts';
import type { AuthenticationResponse, RegistrationResponse } from '#lib/identity/passkeys/responses.ts';
import { cbor } from './cbor.ts';

/** Algorithms of passkeys, by their numbers in COSE. */
export type Algorithm = -8 | -7 | -257;

/** Deviations of a response from that of an honest browser and authenticator. */
export type Tampering = {
  type?: string;
  challenge?: string;
  cross_origin?: boolean;
  rp_id?: string;
  user_verified?: boolean;
  counter?: number;
  user_handle?: string;
  statement?: { fmt: string; attStmt: Parameters<typeof cbor>[0] };
  credential_id?: Buffer;
};

type Kind = {
  algorithm?: Algorithm;
  /** Whether it reports that its passkeys are backed up (flags BE and BS), as synced passkeys are. */
  synced?: boolean;
  /** Seed of its passkeys. With the algorithm -8, the same requests get the same responses. Default: random values. */
  seed?: string;
};

type Credential = { id: Buffer; key: KeyObject; rp_id: string; user_handle: string };

/** Creates a browser with an authenticator that makes and uses passkeys (WebAuthn level 3). */
export function makeAuthenticator({ algorithm = -7, synced = false, seed }: Kind = {}) {
  const credentials: Credential[] = [];
  let counter = 0;

  /** Returns authenticator data (section 6.1). @param attested data of a new credential */
  function dataOf(rp_id: string, tampering: Tampering, attested?: Buffer): Buffer {
    const { user_verified = true } = tampering;
    const flags = 0x01 | (user_verified ? 0x04 : 0) | (synced ? 0x18 : 0) | (attested ? 0x40 : 0);
    const tail = Buffer.alloc(5);
    tail.writeUInt8(flags);
    tail.writeUInt32BE(tampering.counter ?? ++counter, 1);
    return Buffer.concat([sha256(tampering.rp_id ?? rp_id), tail, ...(attested ? [attested] : [])]);
  }

  return {
    /** Returns the result of `navigator.credentials.create()` on a page of `origin`, in the form of toJSON(). */
    create(options: CreationOptions, origin: string, tampering: Tampering = {}): RegistrationResponse {
      const { key, cose } = newKey(algorithm, seed);
      const id = tampering.credential_id ?? (seed === undefined ? randomBytes(32) : sha256(`id of ${seed}`));
      const { rp, user, challenge } = options;
      credentials.push({ id, key, rp_id: rp.id, user_handle: user.id });
      const length = Buffer.alloc(2);
      length.writeUInt16BE(id.length);
      const attested = Buffer.concat([Buffer.alloc(16), length, id, cose]);
      const { fmt, attStmt } = tampering.statement ?? { fmt: 'none', attStmt: new Map() };
      const attestation = new Map<string, Parameters<typeof cbor>[0]>([
        ['fmt', fmt],
        ['attStmt', attStmt],
        ['authData', dataOf(rp.id, tampering, attested)],
      ]);
      return {
        id: base64url(id),
        rawId: base64url(id),
        type: 'public-key',
        authenticatorAttachment: 'platform',
        clientExtensionResults: {},
        response: {
          clientDataJSON: clientData('webauthn.create', challenge, origin, tampering),
          attestationObject: base64url(cbor(attestation)),
          transports: ['internal'],
        },
      };
    },

    /** Returns the result of `navigator.credentials.get()` with the newest passkey of `rpId`. */
    get({ challenge, rpId }: RequestOptions, origin: string, tampering: Tampering = {}): AuthenticationResponse {
      const credential = credentials.findLast(({ rp_id }) => rp_id === rpId);
      if (!credential) throw new Error(`This authenticator has no passkey for ${rpId}.`);
      const { id, key, user_handle } = credential;
      const data = dataOf(rpId, tampering);
      const client = clientData('webauthn.get', challenge, origin, tampering);
      const signed = Buffer.concat([data, sha256(Buffer.from(client, 'base64url'))]);
      return {
        id: base64url(id),
        rawId: base64url(id),
        type: 'public-key',
        authenticatorAttachment: 'platform',
        clientExtensionResults: {},
        response: {
          clientDataJSON: client,
          authenticatorData: base64url(data),
          signature: base64url(sign(algorithm === -8 ? null : 'sha256', signed, key)),
          userHandle: tampering.user_handle ?? user_handle,
        },
      };
    },
  };
}

export type Authenticator = ReturnType<typeof makeAuthenticator>;

const sha256 = (of: string | Buffer): Buffer => createHash('sha256').update(of).digest();
const base64url = (bytes: Buffer): string => bytes.toString('base64url');

function clientData(type: string, challenge: string, origin: string, tampering: Tampering): string {
  const data = {
    type: tampering.type ?? type,
    challenge: tampering.challenge ?? challenge,
    origin,
    crossOrigin: tampering.cross_origin ?? false,
  };
  return Buffer.from(JSON.stringify(data)).toString('base64url');
}

function newKey(algorithm: Algorithm, seed?: string): { key: KeyObject; cose: Buffer } {
  if (algorithm === -8) {
    const key = seed === undefined ? generateKeyPairSync('ed25519').privateKey : ed25519Of(sha256(seed));
    const { x } = createPublicKey(key).export({ format: 'jwk' });
    return {
      key,
      cose: coseKey(1, -8, [
        [-1, 6],
        [-2, fromBase64url(x)],
      ]),
    };
  }
  if (algorithm === -7) {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const { x, y } = publicKey.export({ format: 'jwk' });
    return {
      key: privateKey,
      cose: coseKey(2, -7, [
        [-1, 1],
        [-2, fromBase64url(x)],
        [-3, fromBase64url(y)],
      ]),
    };
  }
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const { n, e } = publicKey.export({ format: 'jwk' });
  return {
    key: privateKey,
    cose: coseKey(3, -257, [
      [-1, fromBase64url(n)],
      [-2, fromBase64url(e)],
    ]),
  };
}

const ed25519Of = (bytes: Buffer): KeyObject =>
  createPrivateKey({
    key: Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), bytes]),
    format: 'der',
    type: 'pkcs8',
  });

const fromBase64url = (text = ''): Buffer => Buffer.from(text, 'base64url');

const coseKey = (kty: number, algorithm: number, rest: [number, number | Buffer][]): Buffer =>
  cbor(new Map<number, number | Buffer>([[1, kty], [3, algorithm], ...rest]));
