import { useState } from 'preact/hooks';
import type { Skill } from '#console/api/records.ts';
import { CodeBlock } from '#console/parts/copy-button.tsx';
import { Section } from '#console/parts/page.tsx';
import { listToolsCommand, MCP_CLIENTS } from '#console/rules/mcp-clients.ts';
import { AgentKey } from './agent-key.tsx';

const NO_KEY = 'YOUR_KEY';

/** Shows how to connect an agent: its key, and the configuration of each client. Only this page holds the key. */
export function Connect({ skills }: { skills: readonly Skill[] }) {
  const [key, setKey] = useState<string | undefined>(undefined);
  const [chosen, choose] = useState(0);
  const url = `${location.origin}/v1/mcp`;
  const client = MCP_CLIENTS[chosen]!;
  return (
    <Section title="Connect an agent">
      <AgentKey skills={skills} createdKey={key} onCreated={setKey} />
      <fieldset class="choices">
        <legend>Client</legend>
        {MCP_CLIENTS.map(({ name }, i) => (
          <label key={name}>
            <input type="radio" name="client" checked={i === chosen} onChange={() => choose(i)} />
            {name}
          </label>
        ))}
      </fieldset>
      <CodeBlock label={client.where} text={client.text(url, key ?? NO_KEY)} />
      <h3>Test the connection</h3>
      <CodeBlock label="List the available tools" text={listToolsCommand(url, key ?? NO_KEY)} />
    </Section>
  );
}
