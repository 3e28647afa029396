import { useState } from 'preact/hooks';
import { automation } from '#console/api/automation-schemas.ts';
import { call } from '#console/api/call.ts';
import type { Action, Skill, Tool } from '#console/api/records.ts';
import { refusal } from '#console/app/session.ts';
import { showError, showToast } from '#console/app/toasts.tsx';
import { Button } from '#console/parts/button.tsx';
import { Confirm } from '#console/parts/confirm.tsx';
import { CodeBlock } from '#console/parts/copy-button.tsx';
import { Dialog } from '#console/parts/dialog.tsx';
import { Menu } from '#console/parts/menu.tsx';
import { Section } from '#console/parts/page.tsx';
import { StateMark } from '#console/parts/state-mark.tsx';
import { Empty } from '#console/parts/states.tsx';
import { type Column, Table } from '#console/parts/table/table.tsx';
import { count } from '#console/rules/words.ts';
import { SkillForm } from './skill-form.tsx';
import { ToolForm } from './tool-form.tsx';
import { removeTool } from './tools.ts';

type Open = { what: 'edit' | 'delete' | 'add' } | { what: 'tool' | 'change' | 'remove'; tool: Tool };

type SkillViewProps = {
  skill: Skill;
  actions: readonly Action[];
  onChange: () => void;
};

export function SkillView({ skill, actions, onChange }: SkillViewProps) {
  const [open, show] = useState<Open | undefined>(undefined);
  const [busy, setBusy] = useState(false);
  const why = refusal('write');
  const { slug, name, enabled, tools } = skill;
  const path = `/v1/skills/${slug}`;
  const close = () => show(undefined);

  async function toggle() {
    setBusy(true);
    try {
      await call('PUT', path, { enabled: !enabled });
      showToast(`${name} is ${enabled ? 'disabled: agents no longer find its tools' : 'enabled'}.`);
      onChange();
    } catch (error) {
      showError(error);
    } finally {
      setBusy(false);
    }
  }

  const columns: readonly Column<Tool>[] = [
    {
      head: 'Tool',
      grow: true,
      cell: (tool) => (
        <>
          <button type="button" class="fold tool-name" onClick={() => show({ what: 'tool', tool })}>
            <code>{tool.name}</code>
          </button>
          <span class="why" dir="auto" title={tool.description}>
            {tool.description}
          </span>
        </>
      ),
    },
    { head: 'Runs', cell: (tool) => <ToolTarget tool={tool} actions={actions} /> },
    { head: 'Arguments', onlyWide: true, numeric: true, cell: ({ inputSchema }) => argumentsOf(inputSchema).length },
  ];

  return (
    <Section
      title={name}
      actions={
        <span class="row-actions">
          <StateMark state={enabled ? 'up' : 'unknown'} word={enabled ? 'Enabled' : 'Disabled'} />
          <Button small why={why} busy={busy} onClick={() => void toggle()}>
            {enabled ? 'Disable' : 'Enable'}
          </Button>
          <Button small why={why} onClick={() => show({ what: 'add' })}>
            Add tool
          </Button>
          <Menu label={`More actions for ${name}`}>
            <Button quiet why={why} onClick={() => show({ what: 'edit' })}>
              Edit skill
            </Button>
            <Button quiet why={why} onClick={() => show({ what: 'delete' })}>
              Delete skill
            </Button>
          </Menu>
        </span>
      }
    >
      {skill.description && (
        <p class="hint lead" dir="auto">
          {skill.description}
        </p>
      )}
      {tools.length > 0 ? (
        <Table label={`Tools of ${name}`} rows={tools} columns={columns} keyOf={(tool) => tool.name} />
      ) : (
        <Empty help="skills" title="No tools yet" />
      )}
      {open?.what === 'edit' && <SkillForm skill={skill} onClose={close} onSaved={onChange} />}
      {open?.what === 'add' && <ToolForm skill={skill} actions={actions} onClose={close} onSaved={onChange} />}
      {open?.what === 'change' && (
        <ToolForm skill={skill} tool={open.tool} actions={actions} onClose={close} onSaved={onChange} />
      )}
      {open?.what === 'tool' && (
        <Dialog title={open.tool.name} wide onClose={close}>
          <p dir="auto">{open.tool.description}</p>
          <p class="lead">
            Runs: <ToolTarget tool={open.tool} actions={actions} />
          </p>
          <CodeBlock label="Arguments (JSON Schema)" text={JSON.stringify(open.tool.inputSchema, null, 2)} />
          <footer>
            <Button why={why} onClick={() => show({ what: 'remove', tool: open.tool })}>
              Remove
            </Button>
            <Button why={why} onClick={() => show({ what: 'change', tool: open.tool })}>
              Edit
            </Button>
          </footer>
        </Dialog>
      )}
      {open?.what === 'remove' && (
        <Confirm
          title={`Remove ${open.tool.name}?`}
          action="Remove"
          run={async () => {
            await removeTool(slug, open.tool.name);
            onChange();
          }}
          onClose={close}
        >
          <p>Agents no longer find it. Its action is not deleted.</p>
        </Confirm>
      )}
      {open?.what === 'delete' && (
        <Confirm
          title={`Delete ${name}?`}
          action="Delete"
          run={async () => {
            await call('DELETE', path);
            onChange();
          }}
          onClose={close}
        >
          <p>
            Agents lose its {count(tools.length, 'tool')}. Keys that are restricted to this skill then find no tools.
          </p>
        </Confirm>
      )}
    </Section>
  );
}

const argumentsOf = ({ properties }: Tool['inputSchema']): string[] => Object.keys((properties as object) ?? {});

function ToolTarget({ tool: { name, action_id }, actions }: { tool: Tool; actions: readonly Action[] }) {
  if (action_id === undefined) {
    return <span class="hint">{automation.builtInTools.includes(name) ? 'built in' : 'no action: choose one'}</span>;
  }
  const action = actions.find(({ id }) => id === action_id);
  return (
    <a href={`#/actions/${action_id}`}>
      <bdi>{action?.name ?? action_id}</bdi>
    </a>
  );
}
