import { useState } from 'preact/hooks';
import type { Skill } from '#console/api/records.ts';
import { CodeBlock } from '#console/parts/copy-button.tsx';
import { Section } from '#console/parts/page.tsx';
import { MCP_CLIENTS, tryIt } from '#console/rules/mcp-clients.ts';
import { AgentKey } from './agent-key.tsx';

/** Stands where the key will be, until there is one. */
const NO_KEY = 'YOUR_KEY';

/** How an agent is connected: a key of its own, and what each client needs. The key is in this page alone. */
export function Connect({ skills }: { skills: readonly Skill[] }) {
  const [key, keep] = useState<string | undefined>(undefined);
  const [chosen, choose] = useState(0);
  const url = `${location.origin}/v1/mcp`;
  const client = MCP_CLIENTS[chosen]!;
  return (
    <Section title="Connect an agent">
      <AgentKey skills={skills} made={key} onMade={keep} />
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
      <h3>Try it</h3>
      <CodeBlock label="The tools that it finds" text={tryIt(url, key ?? NO_KEY)} />
    </Section>
  );
}
