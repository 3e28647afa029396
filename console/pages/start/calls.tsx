import { CodeBlock } from '#console/parts/copy-button.tsx';
import { type Command, curlOf } from '#console/rules/curl.ts';

/** What a step does, as one does it without this page. */
export const Calls = ({ of: commands }: { of: readonly Command[] }) => (
  <div class="step-calls">
    {commands.map((command) => (
      <CodeBlock
        key={command.method + command.path}
        label={`${command.method} ${command.path}`}
        text={curlOf(command, location.origin)}
      />
    ))}
  </div>
);
