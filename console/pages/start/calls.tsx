import { CodeBlock } from '#console/parts/copy-button.tsx';
import { type Command, curlOf } from '#console/rules/curl.ts';

/** A path with its ids cut short: the command has them whole. */
const shortened = (path: string): string => path.replace(/(?<=\/[a-z]{3}_)[0-9a-z]{20,}/g, '…');

/** What a step does, as one does it without this page. */
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
