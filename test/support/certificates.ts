// @peculiar/x509 requires this import first.
import 'reflect-metadata';
import type { webcrypto } from 'node:crypto';
import * as x509 from '@peculiar/x509';

/** PEM texts for node:tls; `cert` is the chain. */
export type KeyAndCertificate = { key: string; cert: string };

/** Content of a certificate; `from` and `to` are its validity. */
export type Wanted = { names: string[]; from?: Date; to?: Date };

export type Authority = {
  /** Certificate of the authority, for its clients to trust (PEM). */
  cert: string;
  issue(wanted: Wanted): Promise<KeyAndCertificate>;
};

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const DAY = 86_400_000;

/** Creates a certificate authority for tests. */
export async function makeAuthority(name = 'Fleetwatch Test Authority'): Promise<Authority> {
  const keys = await crypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
  const root = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: serial(),
    name: `CN=${name}, O=${name}`,
    notBefore: new Date(Date.now() - 3650 * DAY),
    notAfter: new Date(Date.now() + 3650 * DAY),
    keys,
    signingAlgorithm: ALGORITHM,
    extensions: [new x509.BasicConstraintsExtension(true, 1, true)],
  });
  return {
    cert: root.toString('pem'),
    async issue({ names, from = new Date(Date.now() - DAY), to = new Date(Date.now() + 90 * DAY) }) {
      const own = await crypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
      const certificate = await x509.X509CertificateGenerator.create({
        serialNumber: serial(),
        issuer: root.subject,
        subject: `CN=${names[0]}`,
        notBefore: from,
        notAfter: to,
        publicKey: own.publicKey,
        signingKey: keys.privateKey,
        signingAlgorithm: ALGORITHM,
        extensions: [new x509.SubjectAlternativeNameExtension(names.map(alternativeName))],
      });
      return { key: await pemOf(own.privateKey), cert: certificate.toString('pem') };
    },
  };
}

/** Key algorithm for servers that offer only ciphers with RSA. */
export const RSA: webcrypto.RsaHashedKeyGenParams = {
  name: 'RSASSA-PKCS1-v1_5',
  hash: 'SHA-256',
  modulusLength: 2048,
  publicExponent: new Uint8Array([1, 0, 1]),
};

/** Returns a self-signed certificate. */
export async function selfSigned(
  names: string[],
  algorithm: typeof ALGORITHM | typeof RSA = ALGORITHM,
): Promise<KeyAndCertificate> {
  const keys = (await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])) as webcrypto.CryptoKeyPair;
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: serial(),
    name: `CN=${names[0]}`,
    notBefore: new Date(Date.now() - DAY),
    notAfter: new Date(Date.now() + 90 * DAY),
    keys,
    signingAlgorithm: algorithm,
    extensions: [new x509.SubjectAlternativeNameExtension(names.map(alternativeName))],
  });
  return { key: await pemOf(keys.privateKey), cert: certificate.toString('pem') };
}

const alternativeName = (name: string): { type: 'ip' | 'dns'; value: string } => ({
  type: /^[\d.]+$|:/.test(name) ? 'ip' : 'dns',
  value: name,
});

let issued = 0;
const serial = (): string => `01${(++issued).toString(16).padStart(6, '0')}`;

async function pemOf(key: Parameters<typeof crypto.subtle.exportKey>[1]): Promise<string> {
  const base64 = Buffer.from(await crypto.subtle.exportKey('pkcs8', key)).toString('base64');
  return `-----BEGIN PRIVATE KEY-----\n${base64.replace(/(.{64})/g, '$1\n')}\n-----END PRIVATE KEY-----\n`;
}
