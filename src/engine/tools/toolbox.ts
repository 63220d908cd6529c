import type { CallOptions } from '../../adapters/mcp/server-event.ts';
import type { McpServers } from '../../adapters/mcp/servers.ts';
import { formatExcerpt } from '../../core/context/output-excerpt.ts';
import type { Offer } from '../../core/explore/explorer.ts';
import { isCommand } from '../../core/policy/policy.ts';
import type { SnapshotLimits } from '../../core/session/settings.ts';
import { once } from '../../core/text/memoize.ts';
import type { CommandRecord } from '../../protocol/command.ts';
import { AishError } from '../../protocol/error.ts';
import { type JsonObject, omitUndefined } from '../../protocol/json.ts';
import type { RawToolCall } from '../../protocol/model.ts';
import type { CallPreview, Tool, ToolCall, ToolResult } from '../../protocol/tool.ts';
import { whatChanged } from '../policy/command-decisions.ts';
import { type CommandGate, commandOf } from '../policy/command-gate.ts';
import type { SessionOutputs } from '../shell/session-outputs.ts';
import type { SharedShell } from '../shell/shared-shell.ts';
import {
  ANSWERED,
  EXIT_UNKNOWN,
  FAILS,
  formatMovedShell,
  formatMovedTarget,
  formatNoTool,
  NO_OUTPUT,
  SANDBOXED,
} from './messages.ts';
import type { SentInstructions } from './tool-choice.ts';

/** The tool that reads what a command printed, without running it again. */
const OUTPUT_TOOL: Tool = {
  name: 'aish.output',
  description: 'Read or search the complete output %N of a command.',
  parameters: describe(
    {
      handle: { type: 'string' },
      from: { type: 'integer', description: 'first line' },
      lines: { type: 'integer' },
      search: { type: 'string', description: 'text to find; * is any text, | is or' },
      context: { type: 'integer', description: 'lines around a match' },
    },
    ['handle'],
  ),
  effect: 'read',
};

/** The tool that runs a command in the user's shell. */
export const EXEC_TOOL: Tool = {
  name: 'aish.exec',
  description: "Run a command line in the user's interactive shell. Its directory, variables and functions persist.",
  parameters: describe({ command: { type: 'string', description: 'command line' } }, ['command']),
  effect: 'exec',
};

/** The result of a command for the model; `budget` bounds the output. */
export function formatExecResult(record: CommandRecord, budget: number): string {
  const exit = record.exit === null ? EXIT_UNKNOWN : `exit ${record.exit}`;
  const output = formatExcerpt(record, budget);
  const handle = record.handle === undefined ? '' : `; output %${record.handle}`;
  const answered = record.answered === true ? ANSWERED : '';
  const sandboxed = record.sandboxed === true ? SANDBOXED : '';
  return `${exit}; cwd ${record.cwd}${handle}${answered}${sandboxed}\n${output === '' ? NO_OUTPUT : output}`;
}

const PATH = { type: 'string' };

/** The built-in file tools. Every request holds these descriptions, so they are short. */
export const FILE_TOOLS: readonly Tool[] = [
  {
    name: 'aish.read_file',
    description: 'Read a text file or list a directory.',
    parameters: describe(
      {
        path: PATH,
        offset: { type: 'integer', description: 'first line, counted from 1' },
        limit: { type: 'integer', description: 'lines' },
      },
      ['path'],
    ),
    effect: 'read',
  },
  {
    name: 'aish.write_file',
    description: 'Create or replace a file.',
    parameters: describe({ path: PATH, content: { type: 'string' } }, ['path', 'content']),
    effect: 'write',
  },
  {
    name: 'aish.edit_file',
    description: 'Replace exact text in a file. `old` must occur once, unless `all` is true.',
    parameters: describe({ path: PATH, old: { type: 'string' }, new: { type: 'string' }, all: { type: 'boolean' } }, [
      'path',
      'old',
      'new',
    ]),
    effect: 'write',
  },
];

function describe(properties: JsonObject, required: readonly string[]): JsonObject {
  return { type: 'object', properties, required };
}

/** How long a request waits for new servers. */
const SERVER_WAIT_MS = 300;

/** The tools that come with the program. */
export const OWN_TOOLS: readonly Tool[] = [EXEC_TOOL, OUTPUT_TOOL, ...FILE_TOOLS];

/** The tools of a request, and the servers that are found still starting for the first time. */
export interface OfferedTools {
  readonly tools: readonly Tool[];
  /** Tools without room in a request. */
  readonly hidden: readonly Tool[];
  /** Gives the call inside a call of `aish.call_tool`. */
  readonly unwrap?: (call: RawToolCall) => RawToolCall;
  readonly servers?: SentInstructions | null;
  readonly missing: readonly string[];
}

/** How a call runs whose record differs from it, and the answers to what the server of its tool asks. */
interface RunOptions extends Pick<CallOptions, 'onProgress' | 'onElicitation' | 'onSampling'> {
  /** The call without its secrets. */
  readonly shown?: ToolCall;
  /** Exported variables that the command does not get. */
  readonly withheld?: readonly string[];
}

interface PreviewContext {
  readonly signal: AbortSignal;
  /** The limits of one snapshot of the work tree. */
  readonly most?: SnapshotLimits | undefined;
}

/** The built-in tools and those of the MCP servers as one list. */
export class Toolbox {
  readonly #sharedShell: SharedShell;
  readonly #outputs: SessionOutputs;
  readonly #servers: () => Promise<McpServers | null>;
  readonly #files = once(() => import('../../adapters/files/file-tools.ts'));

  readonly #serverWaitMs: number;
  readonly #offer: Offer;
  /** The built-in tools: the same for the whole session, so that servers can cache them. */
  #own: readonly Tool[] | null = null;
  readonly #missed = new Set<string>();
  /** A session that searches tools goes on so. */
  #searches = false;

  constructor(
    sharedShell: SharedShell,
    outputs: SessionOutputs,
    servers: () => Promise<McpServers | null>,
    serverWaitMs = SERVER_WAIT_MS,
    offer: Offer = 'never',
  ) {
    this.#offer = offer;
    this.#serverWaitMs = serverWaitMs;
    this.#sharedShell = sharedShell;
    this.#outputs = outputs;
    this.#servers = servers;
  }

  /** The tools of the next request, for a model with this context window. */
  async list(signal: AbortSignal, windowTokens: number | null): Promise<OfferedTools> {
    const servers = await this.#servers();
    this.#own ??= (await import('../../core/explore/explorer.ts')).chooseOwn(OWN_TOOLS, this.#offer, windowTokens);
    if (servers === null) return { tools: this.#own, hidden: [], missing: [] };
    const { tools, missing, instructions } = await servers.tools({ waitMs: this.#serverWaitMs, signal });
    const starting = servers.connecting().filter((alias) => !this.#missed.has(alias));
    for (const alias of starting) this.#missed.add(alias);
    const { chooseTools, fitInstructions } = await import('./tool-choice.ts');
    const choice = chooseTools(tools, this.#searches ? 0 : windowTokens);
    this.#searches = choice.hidden.length > 0;
    return {
      ...choice,
      servers: fitInstructions(instructions, windowTokens),
      tools: [...this.#own, ...choice.tools],
      missing: missing.filter((alias) => starting.includes(alias)),
    };
  }

  /** The built-in tools that only read. */
  forReading(): Toolbox {
    return new Toolbox(this.#sharedShell, this.#outputs, async () => null, 0, 'reading');
  }

  /** The change of a call, and whether undo restores it. */
  async preview(call: ToolCall, context: PreviewContext): Promise<CallPreview> {
    const { cwd } = this.#sharedShell;
    if (isFileTool(call.name)) return this.#previewFileCall(call, { cwd, ...context });
    if (call.effect === 'read') return { undoable: true, ...(await this.#describeReading(call)) };
    const { checkPlaceUndoable } = await import('../../adapters/git/snapshot/path-undoable.ts');
    if (call.name !== EXEC_TOOL.name) return this.#previewServerCall(call, context);
    return checkPlaceUndoable(cwd, [], context);
  }

  /** A change that cannot be worked out does not count as undoable. */
  async #previewFileCall(call: ToolCall, context: PreviewContext & { readonly cwd: string }): Promise<CallPreview> {
    const { previewFileTool } = await this.#files();
    const { outside, ...preview } = await previewFileTool(call.name, call.arguments, context);
    if (call.effect === 'read') return preview;
    // The answer must not show whether a path outside exists.
    if (outside !== undefined) return { ...preview, undoable: false, why: outside };
    if (preview.problem === undefined) return preview;
    return { ...preview, undoable: false, why: FAILS };
  }

  /** Only paths in the arguments show what a server may change. */
  async #previewServerCall(call: ToolCall, context: PreviewContext): Promise<CallPreview> {
    const { cwd } = this.#sharedShell;
    const servers = await this.#servers();
    const { checkCallUndoable } = await this.#files();
    const base = servers?.startDirectory(call.name) ?? cwd;
    const undoable = await checkCallUndoable(call.arguments, { cwd, base, ...context });
    return { ...undoable, ...(servers === null ? {} : describeServerTool(servers, call.name)) };
  }

  /** A reading tool has no preview, but the review state of its definition. */
  async #describeReading({ name }: ToolCall): Promise<Pick<CallPreview, 'definition'>> {
    const servers = name.startsWith('aish.') ? null : await this.#servers();
    if (servers === null) return {};
    const { definition } = describeServerTool(servers, name);
    return definition === undefined ? {} : { definition };
  }

  /** Pins the definition of a server's tool when a configured rule allows a call of it. */
  async noteRuled({ name }: Pick<ToolCall, 'name'>): Promise<void> {
    if (!name.startsWith('aish.')) (await this.#servers())?.noteRuled(name);
  }

  /** The change since the call was allowed; null for nothing. */
  async whatMoved(
    call: ToolCall,
    preview: CallPreview | undefined,
    gate: Pick<CommandGate, 'meansTheSame'>,
  ): Promise<string | null> {
    const cwd = this.#sharedShell.placeNow();
    const decided = preview?.decided;
    if (decided !== undefined && isCommand(call))
      return cwd === decided.cwd || (await gate.meansTheSame(commandOf(call), decided.cwd))
        ? whatChanged(decided, this.#sharedShell.shell)
        : formatMovedShell(cwd, decided.cwd);
    if (!isFileTool(call.name) || preview?.path === undefined) return null;
    const { realTargetOf, changeSince } = await this.#files();
    const real = realTargetOf(call.name, call.arguments, cwd);
    if (real !== null && real !== preview.path) return formatMovedTarget(real, preview.path);
    return changeSince(preview);
  }

  /** Runs an approved call on the path of its preview. Throws `AishError` if it cannot reach the tool; an error of the tool is a result. */
  async run(
    call: ToolCall,
    preview: CallPreview | undefined,
    signal: AbortSignal,
    { shown = call, withheld = [], ...answers }: RunOptions = {},
  ): Promise<ToolResult> {
    if (call.name === EXEC_TOOL.name) {
      const [line, put] = [commandOf(shown), commandOf(call)];
      // A leading space keeps the line out of histories.
      const options = { withheld, expanded: put === line ? null : ` ${put}` };
      const record = await this.#sharedShell.run(line, 'model', signal, options);
      return { text: '', isError: false, record };
    }
    if (call.name === OUTPUT_TOOL.name)
      return (await import('./tool-outputs.ts')).runOutputTool(call.arguments, this.#outputs, signal);
    if (isFileTool(call.name)) {
      const { path: expected, seen } = preview ?? {};
      const context = { cwd: this.#sharedShell.cwd, signal, seen, ...omitUndefined({ expected }) };
      const { runFileTool } = await this.#files();
      return runFileTool(call.name, call.arguments, context);
    }
    const servers = await this.#servers();
    if (servers === null) throw new AishError('tool.unknown', formatNoTool(call.name));
    if (call.name === 'aish.search_tools') {
      const { tools } = await servers.tools({ waitMs: this.#serverWaitMs, signal });
      return (await import('./tool-choice.ts')).searchTools(call.arguments, tools);
    }
    const result = await servers.call(call.name, call.arguments, signal, answers);
    return (await import('./tool-outputs.ts')).keepFiles(result, this.#outputs.store.folder);
  }
}

/** The server's hint about a tool, and whether the user has reviewed its definition. */
function describeServerTool(servers: McpServers, name: string): Pick<CallPreview, 'hint' | 'definition'> {
  const hint = servers.describe(name)?.hint;
  const standing = servers.standingOf(name);
  return {
    ...omitUndefined({ hint }),
    ...(standing === 'unreviewed' || standing === 'moved' ? { definition: standing } : {}),
  };
}

function isFileTool(name: string): boolean {
  return FILE_TOOLS.some((tool) => tool.name === name);
}
