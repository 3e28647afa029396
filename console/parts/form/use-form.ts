import { useRef, useState } from 'preact/hooks';
import { type ApiFailure, asFailure } from '#console/api/call.ts';
import { bodyOf, type Draft, draftOf, sortErrors } from '#console/rules/form-draft.ts';
import type { FieldSpec } from '#console/rules/form-fields.ts';
import { draftKey, dropDraft, keepDraft, keptDraft } from './drafts.ts';

export type FormState = {
  specs: readonly FieldSpec[];
  draft: Draft;
  /** Types something. */
  set(path: string, text: string): void;
  /** What the API said of a field. */
  errors: Readonly<Record<string, string>>;
  /** What it said beside that. */
  rest: readonly string[];
  busy: boolean;
  /** Whether something was typed that was not sent. */
  changed: boolean;
  submit(): Promise<void>;
  /** What would be sent. */
  body(): Record<string, unknown>;
  /** Shows what the API said of it elsewhere, at its fields; undefined: nothing more. */
  fail(failure: ApiFailure | undefined): void;
  /** Drops what was typed. */
  reset(): void;
};

type FormOptions = {
  /** Names the form, so that what was typed is found again: `check chk_1`. */
  name: string;
  specs: readonly FieldSpec[];
  /** What is changed; undefined: something new. */
  record?: object | undefined;
  /** Sends it. What it throws is shown, and what was typed stays. */
  send(body: Record<string, unknown>): Promise<unknown>;
};

/** The state of a form: it begins with what was typed there before and not sent. */
export function useForm({ name, specs, record, send }: FormOptions): FormState {
  const [key] = useState(() => draftKey(name));
  const [typed, setTyped] = useState<Draft>(() => keptDraft(key) ?? {});
  /** What is drawn next: two fields may be set at once. */
  const latest = useRef(typed);
  const [failure, fail] = useState<ApiFailure | undefined>(undefined);
  const [busy, setBusy] = useState(false);
  const draft = { ...draftOf(specs, record), ...typed };
  const sorted = failure && sortErrors(specs, failure);

  function reset(): void {
    dropDraft(key);
    latest.current = {};
    setTyped({});
    fail(undefined);
  }

  return {
    specs,
    draft,
    set(path, text) {
      const next = { ...latest.current, [path]: text };
      latest.current = next;
      setTyped(next);
      keepDraft(key, specs, next);
    },
    errors: sorted?.byPath ?? {},
    rest: sorted?.rest ?? [],
    busy,
    changed: Object.keys(typed).length > 0,
    body: () => bodyOf(specs, draft, record),
    fail,
    async submit() {
      if (busy) return;
      setBusy(true);
      try {
        await send(bodyOf(specs, draft, record));
        reset();
      } catch (error) {
        fail(asFailure(error));
      } finally {
        setBusy(false);
      }
    },
    reset,
  };
}
