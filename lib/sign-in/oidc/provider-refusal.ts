import { NetError } from '#lib/net/net.ts';
import { shorten } from '#lib/platform/text.ts';
import { type OidcError, SignInRefused } from './sign-in-refused.ts';

/** Errors whose messages are fixed texts. Others quote what came, tokens too: of these the name must do. */
const PLAIN = new Set(['ClientError', 'OperationProcessingError', 'UnsupportedOperationError']);

/** Codes of errors that a provider answers (RFC 6749, sections 4.1.2.1 and 5.2), where they say more than "failed". */
const REASONS: Record<string, OidcError> = {
  access_denied: 'denied',
  temporarily_unavailable: 'unreachable',
  server_error: 'unreachable',
};

const MOST_TOLD = 500;

/**
 * Any error of openid-client, and of the network under it, as the refusal of the sign-in.
 * @param secrets what a provider might repeat in its description of the error
 */
export function refusalOf(error: unknown, secrets: readonly string[]): SignInRefused {
  const chain = chainOf(error);
  const known = chain.find((one) => one instanceof SignInRefused);
  if (known) return known;
  const net = chain.find((one) => one instanceof NetError);
  if (net) return new SignInRefused('unreachable', net.message);
  if (chain.some(({ name }) => name === 'TimeoutError')) return new SignInRefused('unreachable', 'it did not answer');
  const answered = chain.find(isAnswer);
  if (answered) {
    const { error: code, error_description: description } = answered;
    const told = description === undefined ? code : `${code}: ${description}`;
    const message = `it answered ${shorten(withoutSecrets(told, secrets), MOST_TOLD)}`;
    return new SignInRefused(Object.hasOwn(REASONS, code) ? REASONS[code]! : 'failed', message);
  }
  const told = chain.map(({ name, message }) => (PLAIN.has(name) ? message : name));
  return new SignInRefused('failed', [...new Set(told)].join(': '));
}

type Answered = Error & { error: string; error_description?: string };

const isAnswer = (error: Error): error is Answered => 'error' in error && typeof error.error === 'string';

function chainOf(error: unknown): Error[] {
  const chain: Error[] = [];
  for (let one = error; one instanceof Error && chain.length < 10; one = one.cause) chain.push(one);
  return chain;
}

const withoutSecrets = (text: string, secrets: readonly string[]): string =>
  secrets.filter(Boolean).reduce((rest, secret) => rest.replaceAll(secret, '********'), text);
