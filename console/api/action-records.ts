import type { ActionRecord } from '#lib/actions/action.ts';
import type { ExecutionRecord } from '#lib/actions/execution.ts';
import type { LogLine as LogLineRecord } from '#lib/actions/list-logs.ts';
import type { CheckRecord } from '#lib/checks/check-record.ts';
import type { Skill as SkillRecord, ToolDefinition } from '#lib/mcp/skills/skill.ts';

/** What the API answers of actions and agents, by the types of its own schemas. */
export type Action = ActionRecord;
export type Execution = ExecutionRecord;
export type LogLine = LogLineRecord;
export type Check = CheckRecord;
export type Skill = SkillRecord;
export type Tool = ToolDefinition;
