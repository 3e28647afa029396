import { readLines } from '#console/rules/lines.ts';
import { type FrameProps, GroupFrame } from './field.tsx';

type SetProps = FrameProps & {
  /** Selected options, one per line. */
  value: string;
  onChange: (lines: string) => void;
  options: readonly string[];
  titles?: Readonly<Record<string, string>> | undefined;
  meanings?: Readonly<Record<string, string>> | undefined;
};

/** Group of check boxes. */
export function SetField({ value, onChange, options, titles = {}, meanings = {}, ...frame }: SetProps) {
  const chosen = new Set(readLines(value));
  function toggle(option: string) {
    if (!chosen.delete(option)) chosen.add(option);
    onChange(options.filter((one) => chosen.has(one)).join('\n'));
  }
  return (
    <GroupFrame kind="set" {...frame}>
      {options.map((option) => (
        <label key={option}>
          <input type="checkbox" checked={chosen.has(option)} onChange={() => toggle(option)} />
          <span dir="auto">{titles[option] ?? option}</span>
          {meanings[option] && <span class="hint"> {meanings[option]}</span>}
        </label>
      ))}
    </GroupFrame>
  );
}
