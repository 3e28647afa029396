import { useId } from 'preact/hooks';
import { readLines } from '#console/rules/lines.ts';
import type { FrameProps } from './field.tsx';

type SetProps = FrameProps & {
  /** Those that are chosen, a line each. */
  value: string;
  onChange: (lines: string) => void;
  options: readonly string[];
  /** What an option means, in a few words. */
  meanings?: Readonly<Record<string, string>> | undefined;
};

/** Some of a few. */
export function SetField({ label, hint, error, required, value, onChange, options, meanings = {} }: SetProps) {
  const id = useId();
  const chosen = new Set(readLines(value));
  function toggle(option: string) {
    if (!chosen.delete(option)) chosen.add(option);
    onChange(options.filter((one) => chosen.has(one)).join('\n'));
  }
  return (
    <fieldset class="field set" aria-describedby={error || hint ? id : undefined}>
      <legend>
        {label}
        {required && <span class="required"> required</span>}
      </legend>
      <div id={id}>
        {error && <p class="field-error">{error}</p>}
        {hint && <p class="hint">{hint}</p>}
      </div>
      {options.map((option) => (
        <label key={option}>
          <input type="checkbox" checked={chosen.has(option)} onChange={() => toggle(option)} />
          {option}
          {meanings[option] && <span class="hint"> {meanings[option]}</span>}
        </label>
      ))}
    </fieldset>
  );
}
