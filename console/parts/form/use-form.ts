import { useRef, useState } from 'preact/hooks';
import { type ApiFailure, asFailure } from '#console/api/call.ts';
import { bodyOf, type Draft, draftOf, isSet, isStored, sortErrors } from '#console/rules/form-draft.ts';
import type { FieldSpec } from '#console/rules/form-fields.ts';
import { draftKey, dropDraft, keepDraft, keptDraft } from './drafts.ts';

export type FormState = {
  specs: readonly FieldSpec[];
  draft: Draft;
  set(path: string, text: string): void;
  errors: Readonly<Record<string, string>>;
  otherErrors: readonly string[];
  busy: boolean;
  /** Whether the form has unsent input. */
  changed: boolean;
  isSet(spec: FieldSpec): boolean;
  submit(): Promise<void>;
  body(): Record<string, unknown>;
  /** Whether the edited record has a value at a path; undefined for a new record. */
  stored(path: string): boolean | undefined;
  failure: ApiFailure | undefined;
  /** Shows an error of another request at the fields; undefined clears it. */
  fail(failure: ApiFailure | undefined): void;
  reset(): void;
};

type FormOptions = {
  /** Key of the stored input: `check chk_1`. */
  name: string;
  specs: readonly FieldSpec[];
  record?: object | undefined;
  /** Fills fields from the others, such as a slug from the name. */
  derive?: ((draft: Draft) => Draft) | undefined;
  /** Sends the body. An error is shown, and the input stays. */
  send(body: Record<string, unknown>): Promise<unknown>;
};

/** State of a form. It begins with the unsent input of an earlier visit. */
export function useForm({ name, specs, record, derive = (draft) => draft, send }: FormOptions): FormState {
  const [key] = useState(() => draftKey(name));
  const [typed, setTyped] = useState<Draft>(() => keptDraft(key) ?? {});
  /** Newest input, because two fields can change before the next rendering. */
  const latest = useRef(typed);
  const [failure, fail] = useState<ApiFailure | undefined>(undefined);
  const [busy, setBusy] = useState(false);
  const draft = derive({ ...draftOf(specs, record), ...typed });
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
    otherErrors: sorted?.otherErrors ?? [],
    busy,
    changed: Object.keys(typed).length > 0,
    isSet: (spec) => isSet(spec, draft, record),
    body: () => bodyOf(specs, draft, record),
    stored: (path) => record && isStored(record, path),
    failure,
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
