import { setQuery } from '#console/app/router.ts';
import { Button } from '#console/parts/button.tsx';
import { Time } from '#console/parts/time.tsx';
import { actorOf, auditValueText } from '#console/rules/audit.ts';
import { count } from '#console/rules/words.ts';
import type { AuditEntry } from '#lib/audit/entry.ts';

export const Entry = ({ of: entry }: { of: AuditEntry }) => (
  <li>
    <details>
      <summary>
        <Time at={entry.at} as="full" />
        <span class="tag">{entry.action}</span>
        <bdi class="audit-summary">{entry.summary}</bdi>
      </summary>
      <Changes of={entry} />
      <Context of={entry} />
    </details>
  </li>
);

const Changes = ({ of: { changes, more_changes } }: { of: AuditEntry }) =>
  changes.length > 0 && (
    <>
      <table class="diff" aria-label="Changes">
        <thead>
          <tr>
            <th scope="col">Property</th>
            <th scope="col">Before</th>
            <th scope="col">After</th>
          </tr>
        </thead>
        <tbody>
          {changes.map(({ path, from, to }) => (
            <tr key={path}>
              <th scope="row">{path}</th>
              <td>
                <Value of={from} kind="del" />
              </td>
              <td>
                <Value of={to} kind="ins" />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {more_changes > 0 && <p class="hint">And {count(more_changes, 'more property', 'more properties')}.</p>}
    </>
  );

function Value({ of: value, kind: Kind }: { of: unknown; kind: 'del' | 'ins' }) {
  const text = auditValueText(value);
  return text === undefined ? <span class="hint">not set</span> : <Kind>{text}</Kind>;
}

function Context({ of: entry }: { of: AuditEntry }) {
  const { actor, via, tool, target, request_id, ip, user_agent } = entry;
  const by = actorOf(actor);
  const facts = { Via: tool ? `${via}, tool ${tool}` : via, Object: `${target.type} ${target.id}` };
  const known = { ...facts, From: ip, Browser: user_agent, Request: request_id, Entry: entry.id };
  return (
    <>
      <dl class="facts">
        {Object.entries(known).map(([name, text]) =>
          text ? (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{text}</dd>
            </div>
          ) : null,
        )}
      </dl>
      <p class="row-actions">
        {by && (
          <Button small onClick={() => setQuery({ actor: by })}>
            Show all by {by}
          </Button>
        )}
        <Button small onClick={() => setQuery({ target: target.id })}>
          Show all of {target.name || target.id}
        </Button>
      </p>
    </>
  );
}
