import { join } from 'node:path';
import { formatToml } from '../../../adapters/config/format-config.ts';
import { formatKey } from '../../../adapters/config/key-path.ts';
import type { ApproveRequest } from '../../../core/meta/meta-arguments.ts';
import { NO_COMMAND_RULES } from '../../../core/session/state.ts';
import { sanitizeLine } from '../../../core/text/sanitize.ts';
import type { LiveSession } from '../../../engine/session/engine.ts';
import { AishError } from '../../../protocol/error.ts';
import type { CommandRules, Settings } from '../../../protocol/settings.ts';
import { formatRule } from '../screen/command-decision.ts';
import { formatTable } from '../screen/table.ts';
import type { Setup } from '../setup/setup.ts';

/** What `:approve` works with. */
export interface ApproveContext {
  readonly setup: Setup;
  readonly live: LiveSession;
}

/** A rule that holds now. */
interface RuleInForce {
  readonly kind: keyof CommandRules | 'tool';
  readonly text: string;
  readonly says: 'allowed' | 'asked' | 'refused';
  readonly origin: string;
}

const HINT = ':approve takes ask, read-only, all, why, revoke, save, or the first words of a command';

const SESSION = 'this session';

const MODES: Readonly<Record<Settings['approve'], string>> = {
  ask: 'no tool runs without asking but by a rule',
  'read-only': 'tools of aish that only read run without asking',
  all: 'tools whose changes can be undone run without asking',
};

/** Carries out `:approve`, and says what came of it. */
export async function runApprove(request: ApproveRequest, context: ApproveContext): Promise<string> {
  const { session } = context.live;
  switch (request.type) {
    case 'mode':
      await session.submit({ type: 'configure', settings: { approve: request.mode } });
      return formatRules(context);
    case 'list':
      return formatRules(context);
    case 'why':
      return (await import('./approve-why.ts')).explainQuestion(request.back, context.live);
    case 'revoke':
      return revoke(request.rule, context);
    case 'save':
      return formatSaving(findRule(request.rule, context), context);
    case 'add':
      return add(request.prefix, context);
  }
}

function formatRules(context: ApproveContext): string {
  const { settings, halted, autoRunBefore } = context.live.session.state;
  const { approve } = settings;
  const rows = rulesInForce(context).map(({ kind, text, says, origin }, at) => [
    `${at + 1}`,
    says,
    sanitizeLine(kind === 'tool' ? text : `${text} …`),
    kind === 'tool' ? 'tool' : 'command',
    sanitizeLine(origin),
  ]);
  const list = rows.length === 0 ? '' : `\n${formatTable(rows)}`;
  const commands = `${describeCommands(settings)}; :approve why explains the last question`;
  const after = halted === true && autoRunBefore === 'read-only' ? `\n${HALTED}` : '';
  return `approve: ${approve} (${MODES[approve]})${list}${formatSecretRules(context)}\n${commands}${after}`;
}

const HALTED = 'halted: not even what only looks runs without asking; :approve ask ends that';

/** What lets commands run without asking: rules, and the sandbox for what only looks. */
function describeCommands({ autoRun }: Settings): string {
  const byRule = 'commands run without asking by a rule alone';
  return autoRun === 'read-only' ? `${byRule}, or in a sandbox where they only look` : byRule;
}

/** Who is handed a secret without a question; the file alone says so. */
function formatSecretRules({ setup: { loaded } }: ApproveContext): string {
  const rows = Object.entries(loaded.config.secrets.allow).map(([name, rules]) => [
    name,
    sanitizeLine(rules.map((rule) => `"${rule}"`).join(', ')),
    sanitizeLine(loaded.origins.get(formatKey(['secrets', 'allow', name])) ?? ''),
  ]);
  return rows.length === 0 ? '' : `\nhanded over without asking:\n${formatTable(rows)}`;
}

/** Commands first, the strictest first among them: that is how they are decided. */
function rulesInForce({ setup, live }: ApproveContext): readonly RuleInForce[] {
  const { commands = NO_COMMAND_RULES, autoApprove, tools } = live.session.state.settings;
  const { origins } = setup.loaded;
  const says = { deny: 'refused', ask: 'asked', approve: 'allowed' } as const;
  const ofCommands = (['deny', 'ask', 'approve'] as const).flatMap((kind) =>
    commands[kind].map(
      (text): RuleInForce => ({
        kind,
        text,
        says: says[kind],
        origin: origins.get(formatKey(['safety', kind, text])) ?? SESSION,
      }),
    ),
  );
  const strict = (['deny', 'ask'] as const).flatMap((kind) =>
    (tools?.[kind] ?? []).map(
      (text): RuleInForce => ({
        kind: 'tool',
        text,
        says: says[kind],
        origin: origins.get(formatKey(['mcp', kind])) ?? SESSION,
      }),
    ),
  );
  const ofTools = Object.entries(autoApprove).map(
    ([text, value]): RuleInForce => ({
      kind: 'tool',
      text,
      says: value ? 'allowed' : 'asked',
      origin: origins.get(formatKey(['mcp', 'auto_approve', text])) ?? SESSION,
    }),
  );
  return [...ofCommands, ...strict, ...ofTools];
}

/** A rule by its number, or by its words as they are listed. */
function findRule(named: string, context: ApproveContext): RuleInForce {
  const rules = rulesInForce(context);
  const words = named.replace(/(?<!\s)\s*(…|\*)$/, '');
  const found = /^\d+$/.test(named) ? rules[Number(named) - 1] : rules.find(({ text }) => text === words);
  if (found !== undefined) return found;
  throw new AishError('rule.unknown', `there is no rule "${named}" in force`, { hint: ':approve lists them' });
}

/** A rule of the configuration is back with the next session: the file is the user's. */
async function revoke(named: string, context: ApproveContext): Promise<string> {
  const rule = findRule(named, context);
  const { session } = context.live;
  const { commands = NO_COMMAND_RULES, autoApprove } = session.state.settings;
  if (rule.kind !== 'approve' && rule.says !== 'allowed') {
    throw new AishError('rule.kept', `"${rule.text}" makes things stricter, and stays`, {
      hint: `it comes from ${rule.origin}; change it there`,
    });
  }
  if (rule.kind === 'tool') {
    const kept = Object.entries(autoApprove).filter(([name]) => name !== rule.text);
    await session.submit({ type: 'configure', settings: { autoApprove: Object.fromEntries(kept) } });
  } else {
    const approve = commands.approve.filter((prefix) => prefix !== rule.text);
    await session.submit({ type: 'configure', settings: { commands: { ...commands, approve } } });
  }
  const back = rule.origin === SESSION ? '' : `; it stands in ${rule.origin} and holds again in the next session`;
  return sanitizeLine(`"${rule.text}" is asked about again${back}`);
}

async function add(prefix: string, { live }: ApproveContext): Promise<string> {
  const { faultOfPrefix } = await import('../../../core/policy/rules.ts');
  const { readPrefix } = await import('../../../core/policy/prefix.ts');
  const { classifyOrdinary } = await import('../../../core/policy/rules.ts');
  const fault = faultOfPrefix('approve', prefix);
  if (fault !== null)
    throw new AishError('rule.refused', `no rule can be made of "${prefix}": it ${fault}`, {
      hint: HINT,
    });
  // A word that was meant for aish must not become a rule.
  const [program = ''] = readPrefix(prefix);
  if (live.sharedShell.shell?.lookup(program) === null) {
    throw new AishError('rule.refused', `no rule can be made of "${prefix}": there is no command ${program} here`, {
      hint: HINT,
    });
  }
  const words = prefix.replace(/(?<!\s)\s+\*$/, '');
  const { ceiling } = classifyOrdinary(readPrefix(prefix), await live.gate.context());
  const { commands = NO_COMMAND_RULES } = live.session.state.settings;
  const approve = [...new Set([...commands.approve, words])];
  await live.session.submit({ type: 'configure', settings: { commands: { ...commands, approve } } });
  return `rule: ${formatRule({ prefix: words, class: ceiling })}\n:approve revoke ${words} takes it back`;
}

/** The file is edited by nobody but the user. */
function formatSaving(rule: RuleInForce, { setup }: ApproveContext): string {
  const file = setup.loaded.file ?? join(setup.paths.config, 'config.toml');
  const origin = rule.origin === SESSION ? null : rule.origin;
  if (origin !== null) return sanitizeLine(`"${rule.text}" stands in ${origin} already`);
  if (rule.kind === 'tool')
    return sanitizeLine(`to keep it, add under [mcp.auto_approve] in ${file}:`).concat(
      `\n${formatKey([rule.text])} = true`,
    );
  const own = setup.loaded.config.safety.approve.filter((entry) => {
    const prefix = typeof entry === 'string' ? entry : entry.prefix;
    return setup.loaded.origins.get(formatKey(['safety', 'approve', prefix])) === file;
  });
  return sanitizeLine(`to keep it, have this in ${file}:`).concat(
    `\n[safety]\napprove = ${formatToml([...own, rule.text])}`,
  );
}
