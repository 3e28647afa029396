import { evaluateAssertions } from '#lib/checks/assertions/evaluate.ts';
import { expiryMembers } from '#lib/checks/assertions/expiry.ts';
import { type ProbeOutcome, probing, succeeded, withVerdict } from '#lib/checks/outcome.ts';
import type { HttpReply } from '#lib/net/net.ts';
import { headerSecrets, SECRET_RESPONSE_HEADERS, valuesIn } from '#lib/platform/secrets/header-secrets.ts';
import { REDACTED } from '#lib/platform/secrets/kept-secrets.ts';
import { type Redact, redactorOf } from '#lib/platform/secrets/redact-secrets.ts';
import type { ProbeInput, Settled } from './check-type.ts';
import type { HttpConfig, HttpSettings } from './http.ts';
import { bodyReadOptions, evaluateResponse, expectedStatus, factsOf } from './http-response.ts';

const MAX_REDIRECTS = 5;

/** Sends a request, and looks at what is answered. */
export async function probeHttp(
  check: HttpSettings & Settled<HttpConfig>,
  { net, settings, timeout_ms, now, room, shows = false }: ProbeInput,
) {
  const hide = secretsOf(check.config);
  const outcome = await probing(async () => {
    const { headers, body, verify_tls, assertions } = check.config;
    const status = expectedStatus(check);
    const follow = check.config.follow_redirects !== false && !status.redirects;
    const reply = await net.http({
      url: check.target_url,
      method: check.method,
      ...(headers && { headers }),
      ...(body !== undefined && { body }),
      timeout_ms,
      ...(room && { room }),
      ...bodyReadOptions({ assertions, find: check.body_contains, status: status.only }),
      ...(shows && { excerpt_bytes: EXCERPT_BYTES }),
      egress: settings.CHECK_EGRESS,
      max_redirects: follow ? MAX_REDIRECTS : 0,
      verify_tls: verify_tls !== false,
    });
    const facts = factsOf(reply, assertions, now);
    const verdict = await evaluateAssertions(assertions, facts, shows);
    // As without assertions: of an answer with a wrong status no text is missed.
    const isOther = verdict.failures.some(({ kind }) => kind === 'status');
    const answer = isOther ? succeeded(reply.latency_ms, reply.status) : evaluateResponse(check, reply, status.only);
    const found = withVerdict(answer, verdict);
    return {
      ...found,
      ...expiryMembers(facts.expiry),
      ...(shows && { response: responseOf(reply, hide()) }),
    };
  });
  return withoutSecrets(outcome, hide);
}

/** Characters of a body in which single values are looked for. */
const SEARCHED_OF_BODY = 4096;

/**
 * What takes the secrets of a check out of a text, made when it is first needed: a target may answer with what it was
 * sent, in a redirect, in a header that an error quotes, in its body.
 */
function secretsOf({ headers, body = '' }: HttpConfig): () => Redact {
  let made: Redact | undefined;
  return () => {
    made ??= redactorOf([...headerSecrets(headers), body, ...valuesIn(body.slice(0, SEARCHED_OF_BODY))]);
    return made;
  };
}

/** The beginning of a body, for people to see: characters, and bytes that hold as many of them in UTF-8. */
const EXCERPT_CHARACTERS = 2_000;
const EXCERPT_BYTES = 4 * EXCERPT_CHARACTERS;

function responseOf({ headers, excerpt = { text: '', bytes: 0 } }: HttpReply, hide: Redact) {
  const shown = Object.entries(headers).map(([name, value]): [string, string] => [
    name,
    SECRET_RESPONSE_HEADERS.has(name) ? REDACTED : hide(value),
  ]);
  // Hidden before it is cut: a secret that is cut in half is still one.
  const body_excerpt = [...hide(excerpt.text, true)].slice(0, EXCERPT_CHARACTERS).join('');
  return { headers: Object.fromEntries(shown), body_excerpt, body_bytes: excerpt.bytes };
}

/** Without what the target repeats of what it was sent. */
function withoutSecrets<Outcome extends ProbeOutcome>(outcome: Outcome, hide: () => Redact): Outcome {
  const { success, error_message, warning_message, assertions } = outcome;
  if (success && !warning_message && !assertions) return outcome;
  const hidden = hide();
  return {
    ...outcome,
    error_message: hidden(error_message),
    ...(warning_message && { warning_message: hidden(warning_message) }),
    ...(assertions && {
      assertions: assertions.map((one) => ({ ...one, actual: one.actual === null ? null : hidden(one.actual) })),
    }),
  };
}
