import { evaluateAssertions } from '#lib/checks/assertions/evaluate.ts';
import { expiryProperties } from '#lib/checks/assertions/expiry.ts';
import { outcomeOfProbe, type ProbeOutcome, succeeded, withAssertionResults } from '#lib/checks/outcome.ts';
import type { HttpReply } from '#lib/net/net.ts';
import { headerSecrets, SECRET_RESPONSE_HEADERS, valuesIn } from '#lib/platform/secrets/header-secrets.ts';
import { REDACTED } from '#lib/platform/secrets/kept-secrets.ts';
import { type Redact, redactorOf } from '#lib/platform/secrets/redact-secrets.ts';
import type { ProbeInput, SettingsWith } from './check-type.ts';
import type { HttpConfig, HttpSettings } from './http.ts';
import { bodyReadOptions, evaluateResponse, expectedStatus, factsOf } from './http-response.ts';

const MAX_REDIRECTS = 5;

export async function probeHttp(
  check: HttpSettings & SettingsWith<HttpConfig>,
  { net, settings, timeout_ms, now, cpu, waitForMemory, withDetails = false }: ProbeInput,
) {
  const redactor = lazyRedactor(check.config);
  const outcome = await outcomeOfProbe(async () => {
    const { headers, body, verify_tls, assertions } = check.config;
    const status = expectedStatus(check);
    const follow = check.config.follow_redirects !== false && !status.redirects;
    const reply = await net.http({
      url: check.target_url,
      method: check.method,
      ...(headers && { headers }),
      ...(body !== undefined && { body }),
      timeout_ms,
      ...(waitForMemory && { waitForMemory }),
      ...bodyReadOptions({ assertions, find: check.body_contains, status: status.only }),
      ...(withDetails && { excerpt_bytes: EXCERPT_BYTES }),
      egress: settings.CHECK_EGRESS,
      max_redirects: follow ? MAX_REDIRECTS : 0,
      verify_tls: verify_tls !== false,
    });
    const facts = factsOf(reply, assertions, now);
    const results = await evaluateAssertions(assertions, facts, { cpu, withDetails });
    // If an assertion rejects the status, the probe fails by it, and `body_contains` is not checked.
    const isStatusWrong = results.failures.some(({ kind }) => kind === 'status');
    const outcomeOfResponse = isStatusWrong
      ? succeeded(reply.latency_ms, reply.status)
      : evaluateResponse(check, reply, status.only);
    const found = withAssertionResults(outcomeOfResponse, results);
    return {
      ...found,
      ...expiryProperties(facts.expiry),
      ...(withDetails && { response: responseOf(reply, redactor()) }),
    };
  });
  return withoutSecrets(outcome, redactor);
}

/** Number of characters at the start of the sent body in which to search for secrets. */
const MAX_SEARCHED_OF_BODY = 4096;

/** Returns a function that creates a redactor of the sent secrets on first use: a target may repeat them. */
function lazyRedactor({ headers, body = '' }: HttpConfig): () => Redact {
  let redact: Redact | undefined;
  return () => {
    redact ??= redactorOf([...headerSecrets(headers), body, ...valuesIn(body.slice(0, MAX_SEARCHED_OF_BODY))]);
    return redact;
  };
}

/** Maximum characters of a displayed excerpt, and bytes that contain them in UTF-8. */
const EXCERPT_CHARACTERS = 2_000;
const EXCERPT_BYTES = 4 * EXCERPT_CHARACTERS;

function responseOf({ headers, excerpt = { text: '', bytes: 0 } }: HttpReply, redact: Redact) {
  const shown = Object.entries(headers).map(([name, value]): [string, string] => [
    name,
    SECRET_RESPONSE_HEADERS.has(name) ? REDACTED : redact(value),
  ]);
  // Redacted before it is cut, because half a secret is still secret.
  const body_excerpt = [...redact(excerpt.text, true)].slice(0, EXCERPT_CHARACTERS).join('');
  return { headers: Object.fromEntries(shown), body_excerpt, body_bytes: excerpt.bytes };
}

function withoutSecrets<Outcome extends ProbeOutcome>(outcome: Outcome, redactor: () => Redact): Outcome {
  const { success, error_message, warning_message, assertions } = outcome;
  if (success && !warning_message && !assertions) return outcome;
  const redact = redactor();
  return {
    ...outcome,
    error_message: redact(error_message),
    ...(warning_message && { warning_message: redact(warning_message) }),
    ...(assertions && {
      assertions: assertions.map((result) => ({
        ...result,
        actual: result.actual === null ? null : redact(result.actual),
      })),
    }),
  };
}
