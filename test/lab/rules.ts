/** Scores the rules: reads `{"mode","rules","call"}` a line and prints `{"decision"}` a line, in order. */
import * as v from 'valibot';
import { classifyLine } from '../../src/core/policy/classify-line.ts';
import { applyRules } from '../../src/core/policy/policy.ts';
import { ruleLine } from '../../src/core/policy/rules.ts';
import { DEFAULT_SETTINGS } from '../../src/core/session/state.ts';
import { toDecision } from '../../src/engine/policy/command-decisions.ts';
import { commandOf } from '../../src/engine/policy/command-gate.ts';
import { decideTool } from '../../src/engine/policy/tool-decision.ts';
import type { JsonObject } from '../../src/protocol/json.ts';
import { mcpSchema } from '../../src/protocol/mcp-schema.ts';
import type { ToolCall } from '../../src/protocol/tool.ts';

const CONTEXT = { home: '/home/user', project: '/home/user/project', cwd: '/home/user/project' };

const tools = v.optional(v.record(v.string(), v.unknown()), {});
const prefixes = v.optional(v.array(v.string()), []);
const rulesSchema = v.object({
  mcp: v.optional(v.object({ auto_approve: tools, ask: tools, deny: tools, pinned: tools }), {}),
  shell: v.optional(v.object({ approve: prefixes, ask: prefixes, deny: prefixes }), {}),
  source: v.optional(v.string()),
});

type Rules = v.InferOutput<typeof rulesSchema>;

/** Rules that cannot be read approve nothing, and rules of a project only restrict. */
function readRules(written: unknown): Rules {
  const { success, output } = v.safeParse(rulesSchema, written);
  const rules = success ? output : v.parse(rulesSchema, {});
  if (rules.source !== 'project') return rules;
  return { ...rules, mcp: { ...rules.mcp, auto_approve: {} }, shell: { ...rules.shell, approve: [] } };
}

/** The entries of a table whose names the configuration accepts as rules. */
function entriesOf(table: Readonly<Record<string, unknown>>): readonly (readonly [string, unknown])[] {
  return Object.entries(table).filter(([key]) => v.safeParse(mcpSchema(), { ask: [key] }).success);
}

/** Decides a call of a tool as the engine does. */
async function decideCall({ mcp, shell }: Rules, name: string, args: JsonObject, definition: unknown) {
  const isCommand = name === 'aish.exec';
  const call: ToolCall = { id: 'c', name, arguments: args, effect: isCommand ? 'exec' : 'write', origin: 'model' };
  const namesOf = (table: Readonly<Record<string, unknown>>) =>
    entriesOf(table).flatMap(([key, value]) => (value === false ? [] : [key]));
  const settings = {
    ...DEFAULT_SETTINGS,
    autoApprove: Object.fromEntries(entriesOf(mcp.auto_approve).map(([key, value]) => [key, value === true])),
    tools: { ask: namesOf(mcp.ask), deny: namesOf(mcp.deny) },
  };
  const isChanged = Object.hasOwn(mcp.pinned, name) && mcp.pinned[name] !== definition;
  const decided = isCommand
    ? await toDecision(ruleLine('ask', shell, commandOf(call), CONTEXT), CONTEXT.cwd)
    : await decideTool(call, {
        context: async () => CONTEXT,
        classify: async (line, place) => ({ classification: classifyLine(line, place) }),
      });
  return applyRules(call, settings, {
    undoable: true,
    ...(decided === null ? {} : { decided }),
    ...(isChanged ? { definition: 'moved' } : {}),
  }).decision;
}

const answers: string[] = [];
for await (const line of console) {
  if (line.trim() === '') continue;
  const { mode, rules: written, call } = JSON.parse(line);
  const rules = readRules(written);
  const decision =
    call.kind === 'cmd'
      ? ruleLine(mode, rules.shell, call.cmd, CONTEXT).decision
      : await decideCall(rules, call.name, call.args ?? {}, call.definition);
  answers.push(JSON.stringify({ decision }));
}
console.log(answers.join('\n'));
