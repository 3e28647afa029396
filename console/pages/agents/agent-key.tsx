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
  { scope: 'read', means: 'read catalog, checks and history' },
  { scope: 'respond', means: 'run actions and checks, acknowledge, silence' },
  {
    scope: 'write',
    means: 'change catalog, checks and alerting, read secrets; for admins also actions and status pages',
  },
  { scope: 'audit', means: 'read the audit log' },
];

type AgentKeyProps = {
  skills: readonly Skill[];
  /** The new key, shown until the user creates another. */
  createdKey: string | undefined;
  onCreated: (key: string | undefined) => void;
};

/** Creates a key for an agent, with the MCP scope, the chosen scopes, and the tools of the chosen skills. */
export function AgentKey({ skills, createdKey, onCreated }: AgentKeyProps) {
  const [label, setLabel] = useState('Agent');
  const [scopes, setScopes] = useState<ReadonlySet<KeyScope>>(new Set(['read']));
  const [chosenSkills, chooseSkills] = useState<ReadonlySet<string>>(new Set());
  const [busy, setBusy] = useState(false);
  const [failure, fail] = useState<ApiFailure | undefined>(undefined);

  async function create() {
    setBusy(true);
    try {
      const { key } = await call<{ key: string }>('POST', '/v1/auth/keys', {
        label,
        scopes: ['mcp', ...scopes],
        ...(chosenSkills.size > 0 && { skills: [...chosenSkills] }),
      });
      fail(undefined);
      onCreated(key);
    } catch (error) {
      fail(asFailure(error));
    } finally {
      setBusy(false);
    }
  }

  if (createdKey) {
    return (
      <div class="form">
        <CodeBlock label="API key, shown only once" text={createdKey} />
        <p class="hint">
          Copy it now. The examples below also contain it. To revoke it, open <a href="#/settings/keys">settings</a>.
        </p>
        <footer>
          <Button small onClick={() => onCreated(undefined)}>
            Create another key
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
        if (why === undefined && !busy) void create();
      }}
    >
      {failure && <Failure failure={{ message: errorText(failure) }} />}
      <div class="fields">
        <TextField label="Key name" value={label} onChange={setLabel} hint="Purpose of the key." />
      </div>
      <Choices
        legend="Scopes"
        options={SCOPES.map(({ scope, means }) => ({ value: scope, means, apiName: scope }))}
        chosen={scopes}
        onChange={setScopes}
      />
      {skills.length > 1 && (
        <Choices
          legend="Restrict to skills (none selected: all)"
          options={skills.map(({ slug, name }) => ({ value: slug, means: name }))}
          chosen={chosenSkills}
          onChange={chooseSkills}
        />
      )}
      <footer>
        <Button type="submit" kind="main" why={why} busy={busy}>
          Create key
        </Button>
      </footer>
    </form>
  );
}

const errorText = ({ message, details }: ApiFailure): string =>
  details.length > 0 ? details.map(({ path, message: what }) => `${path} ${what}`).join('; ') : message;

type ChoicesProps<Value extends string> = {
  legend: string;
  options: readonly {
    value: Value;
    means: string;
    apiName?: string;
  }[];
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
      {options.map(({ value, means, apiName }) => (
        <label key={value}>
          <input type="checkbox" checked={chosen.has(value)} onChange={() => toggle(value)} />
          {means}
          {apiName && <span class="hint">{apiName}</span>}
        </label>
      ))}
    </fieldset>
  );
}
