import { CodeBlock } from '#console/parts/copy-button.tsx';
import { type Command, curlOf } from '#console/rules/curl.ts';

const shortened = (path: string): string => path.replace(/(?<=\/[a-z]{3}_)[0-9a-z]{20,}/g, '…');

export const Calls = ({ of: commands }: { of: readonly Command[] }) => (
  <div class="step-calls">
    {commands.map((command) => (
      <CodeBlock
        key={command.method + command.path}
        label={`${command.method} ${shortened(command.path)}`}
        text={curlOf(command, location.origin)}
      />
    ))}
  </div>
);
