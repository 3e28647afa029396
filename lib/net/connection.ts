import { checkServerIdentity, type PeerCertificate, type TLSSocket } from 'node:tls';

/** Why the peer's certificate should not be trusted, in a sentence; empty when all is well. @param now epoch ms */
export function certificateProblem(socket: TLSSocket, name: string, now: number): string {
  const certificate = socket.getPeerCertificate();
  if (!certificate?.valid_to) return 'the server sent no certificate';
  const day = (text: string) => new Date(text).toISOString().slice(0, 10);
  if (Date.parse(certificate.valid_to) <= now) return `certificate expired on ${day(certificate.valid_to)}: renew it`;
  if (Date.parse(certificate.valid_from) > now) return `certificate is not valid before ${day(certificate.valid_from)}`;
  if (checkServerIdentity(name, certificate)) return `certificate is for ${namesOf(certificate)}, not ${name}`;
  return socket.authorized ? '' : issuerProblem(String(socket.authorizationError), certificate);
}

function namesOf({ subjectaltname, subject }: PeerCertificate): string {
  const names = (subjectaltname ?? '')
    .split(', ')
    .map((name) => name.replace(/^(DNS|IP Address):/, ''))
    .filter(Boolean);
  if (names.length === 0) return [subject?.CN ?? 'nobody'].flat().join(', ');
  return names.length > 3 ? `${names.slice(0, 3).join(', ')} and ${names.length - 3} more` : names.join(', ');
}

/** Who issued it: an organisation, else a common name; empty when it says neither. */
export const issuerOf = ({ issuer }: PeerCertificate): string => [issuer?.O ?? issuer?.CN ?? ''].flat().join(', ');

function issuerProblem(code: string, certificate: PeerCertificate): string {
  const by = issuerOf(certificate) || 'an unnamed authority';
  switch (code) {
    case 'DEPTH_ZERO_SELF_SIGNED_CERT':
      return 'certificate is self-signed: no authority vouches for it';
    case 'SELF_SIGNED_CERT_IN_CHAIN':
      return `certificate comes from ${by}, which is not a trusted authority`;
    case 'UNABLE_TO_GET_ISSUER_CERT':
    case 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY':
    case 'UNABLE_TO_VERIFY_LEAF_SIGNATURE':
      return `certificate comes from ${by}: not a trusted authority, or the server leaves out its intermediate certificates`;
    case 'CERT_HAS_EXPIRED':
      return 'a certificate of the issuers that the server sends has expired: replace its chain';
    case 'CERT_REVOKED':
      return 'certificate was revoked';
    default:
      return `certificate is not trusted (${code.toLowerCase().replaceAll('_', ' ')})`;
  }
}
