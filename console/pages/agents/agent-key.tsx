import { useState } from 'preact/hooks';
import { type ApiFailure, asFailure, call } from '#console/api/call.ts';
import type { Skill } from '#console/api/records.ts';
import { refusal } from '#console/app/session.ts';
import { Button } from '#console/parts/button.tsx';
import { CodeBlock } from '#console/parts/copy-button.tsx';
import { TextField } from '#console/parts/field.tsx';
import { Failure } from '#console/parts/states.tsx';
import type { KeyScope } from '#lib/platform/http/access.ts';

const SCOPES: readonly { scope: KeyScope; means: string }[] = [
  { scope: 'read', means: 'sees what is monitored, and what happened' },
  { scope: 'respond', means: 'runs actions' },
  { scope: 'write', means: 'registers checks' },
  { scope: 'audit', means: 'sees who changed what' },
];

type AgentKeyProps = {
  skills: readonly Skill[];
  /** The key that was made, which is shown while the page is open. */
  made: string | undefined;
  onMade: (key: string | undefined) => void;
};

/** Makes a key for an agent: it may use MCP, what is ticked, and the tools of the skills that are chosen. */
export function AgentKey({ skills, made, onMade }: AgentKeyProps) {
  const [label, setLabel] = useState('Agent');
  const [scopes, setScopes] = useState<ReadonlySet<KeyScope>>(new Set(['read']));
  const [held, hold] = useState<ReadonlySet<string>>(new Set());
  const [busy, setBusy] = useState(false);
  const [failure, fail] = useState<ApiFailure | undefined>(undefined);

  async function make() {
    setBusy(true);
    try {
      const { key } = await call<{ key: string }>('POST', '/v1/auth/keys', {
        label,
        scopes: ['mcp', ...scopes],
        ...(held.size > 0 && { skills: [...held] }),
      });
      fail(undefined);
      onMade(key);
    } catch (error) {
      fail(asFailure(error));
    } finally {
      setBusy(false);
    }
  }

  if (made) {
    return (
      <div class="form">
        <CodeBlock label="The key, shown this once" text={made} />
        <p class="hint">
          It stands in the texts below too. Copy it now; <a href="#/settings/keys">settings</a> list it and take it
          away.
        </p>
        <footer>
          <Button small onClick={() => onMade(undefined)}>
            Make another
          </Button>
        </footer>
      </div>
    );
  }
  const why = refusal('own');
  return (
    <form
      class="form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (why === undefined && !busy) void make();
      }}
    >
      {failure && <Failure failure={{ message: said(failure) }} />}
      <div class="fields">
        <TextField label="Name of the key" value={label} onChange={setLabel} hint="What it is for." />
      </div>
      <Choices
        legend="The agent"
        options={SCOPES.map(({ scope, means }) => ({ value: scope, means, word: scope }))}
        chosen={scopes}
        onChange={setScopes}
      />
      {skills.length > 1 && (
        <Choices
          legend="Held to the tools of (none: of all)"
          options={skills.map(({ slug, name }) => ({ value: slug, means: name }))}
          chosen={held}
          onChange={hold}
        />
      )}
      <footer>
        <Button type="submit" kind="main" why={why} busy={busy}>
          Make a key
        </Button>
      </footer>
    </form>
  );
}

/** The API's words, with those of the members that it is about. */
const said = ({ message, details }: ApiFailure): string =>
  details.length > 0 ? details.map(({ path, message: what }) => `${path} ${what}`).join('; ') : message;

type ChoicesProps<Value extends string> = {
  legend: string;
  options: readonly { value: Value; means: string /** As the API calls it. */; word?: string }[];
  chosen: ReadonlySet<Value>;
  onChange: (chosen: ReadonlySet<Value>) => void;
};

function Choices<Value extends string>({ legend, options, chosen, onChange }: ChoicesProps<Value>) {
  function toggle(value: Value) {
    const next = new Set(chosen);
    if (!next.delete(value)) next.add(value);
    onChange(next);
  }
  return (
    <fieldset class="choices">
      <legend>{legend}</legend>
      {options.map(({ value, means, word }) => (
        <label key={value}>
          <input type="checkbox" checked={chosen.has(value)} onChange={() => toggle(value)} />
          {means}
          {word && <span class="hint">{word}</span>}
        </label>
      ))}
    </fieldset>
  );
}
