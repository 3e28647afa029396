import { useState } from 'preact/hooks';
import { type ApiFailure, asFailure, call } from '#console/api/call.ts';
import type { SettingsTestResult } from '#console/api/records.ts';
import { refusal } from '#console/app/session.ts';
import { Button } from '#console/parts/button.tsx';
import { ErrorKind } from '#console/parts/error-kind.tsx';
import type { FormState } from '#console/parts/form/use-form.ts';
import { StateMark } from '#console/parts/state-mark.tsx';
import { Failure } from '#console/parts/states.tsx';
import { labelOf } from '#console/rules/form-fields.ts';
import { OUTCOME } from '#console/rules/states.ts';

type SettingsTestProps = {
  form: FormState;
  /** Body of POST /v1/checks/test. */
  settings: () => Record<string, unknown>;
};

/** Probes once with the current input, without saving it, and shows the result. */
export function SettingsTest({ form, settings }: SettingsTestProps) {
  const [busy, setBusy] = useState(false);
  const [found, setFound] = useState<SettingsTestResult | undefined>(undefined);
  const [failure, fail] = useState<ApiFailure | undefined>(undefined);
  async function run() {
    setBusy(true);
    setFound(undefined);
    fail(undefined);
    form.fail(undefined);
    try {
      setFound(await call<SettingsTestResult>('POST', '/v1/checks/test', settings()));
    } catch (error) {
      const problem = asFailure(error);
      if (problem.details.length > 0) form.fail(problem);
      else fail(problem);
    }
    setBusy(false);
  }
  return (
    <div class="try">
      <Button why={refusal('write')} busy={busy} onClick={() => void run()}>
        {busy ? 'Testing' : 'Test settings'}
      </Button>
      <span class="hint">Probes once without saving.</span>
      <div role="status">
        {failure && <Failure failure={failure} />}
        {found && <TestResult found={found} />}
      </div>
    </div>
  );
}

const SHOWN_SEPARATELY = new Set([
  'outcome',
  'success',
  'status_code',
  'latency_ms',
  'error_message',
  'error_kind',
  'warning_message',
  'assertions',
  'response',
  'transcript',
]);

type Response = { headers: Record<string, string>; body_excerpt: string; body_bytes: number };

function TestResult({ found }: { found: SettingsTestResult }) {
  const { outcome, status_code, latency_ms, error_message, error_kind, warning_message } = found;
  const response = found.response as Response | undefined;
  const transcript = found.transcript as string[] | undefined;
  return (
    <div class="test-result">
      <p>
        <StateMark {...OUTCOME[outcome]} /> after {latency_ms} ms
        {status_code > 0 && `, status ${status_code}`}
        {Object.entries(found)
          .filter(([name]) => !SHOWN_SEPARATELY.has(name))
          .map(([name, value]) => `, ${labelOf(name).toLowerCase()}: ${String(value)}`)}
      </p>
      {error_message && (
        <p class="alert-error" dir="auto">
          <ErrorKind kind={error_kind} />
          {error_message}
        </p>
      )}
      {transcript && transcript.length > 0 && (
        <details>
          <summary>Transcript</summary>
          <ol>
            {transcript.map((line, i) => (
              <li key={i} dir="auto">
                <code>{line}</code>
              </li>
            ))}
          </ol>
        </details>
      )}
      {warning_message && (
        <p class="alert-error" dir="auto">
          {warning_message}
        </p>
      )}
      {found.assertions.length > 0 && (
        <ul class="assertion-results">
          {found.assertions.map((one, i) => (
            <li key={i} dir="auto">
              <StateMark {...OUTCOME[one.passed ? 'ok' : one.severity]} /> {assertionText(one)}
            </li>
          ))}
        </ul>
      )}
      {response && (
        <details>
          <summary>Response of the target ({response.body_bytes} bytes)</summary>
          {/* The response scrolls, so the keyboard must reach it. */}
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: see above */}
          <pre tabIndex={0}>
            {Object.entries(response.headers)
              .map(([name, value]) => `${name}: ${value}`)
              .join('\n')}
            {'\n\n'}
            {response.body_excerpt}
          </pre>
        </details>
      )}
    </div>
  );
}

const assertionText = ({
  source,
  property,
  operator,
  value,
  actual,
}: SettingsTestResult['assertions'][number]): string => {
  const wanted = value === undefined ? '' : JSON.stringify(value);
  const what = [source, property, labelOf(operator).toLowerCase(), wanted].filter(Boolean).join(' ');
  return actual === null ? what : `${what}: got ${actual}`;
};
