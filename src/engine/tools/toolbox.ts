import type { McpServers } from '../../adapters/mcp/servers.ts';
import { once } from '../../adapters/system/system-calls.ts';
import { isCommand } from '../../core/policy/policy.ts';
import type { SnapshotLimits } from '../../core/session/settings.ts';
import { AishError } from '../../protocol/error.ts';
import { omitUndefined } from '../../protocol/omit-undefined.ts';
import type { CallPreview, Tool, ToolCall, ToolResult } from '../../protocol/tool.ts';
import { type CommandGate, commandOf } from '../policy/command-gate.ts';
import { whatChanged } from '../policy/shown-meaning.ts';
import type { SessionOutputs } from '../shell/session-outputs.ts';
import type { SharedShell } from '../shell/shared-shell.ts';
import { EXEC_TOOL, FILE_TOOLS, OUTPUT_TOOL, runOutputTool } from './own-tools.ts';

/** How long a request waits for servers that were never seen before, where the next one may have their tools. */
const SERVER_WAIT_MS = 300;

/** The tools that come with the program. */
export const OWN_TOOLS: readonly Tool[] = [EXEC_TOOL, OUTPUT_TOOL, ...FILE_TOOLS];

/** What is offered to the model, and which servers are still starting. A failed one was told when it failed. */
export interface OfferedTools {
  readonly tools: readonly Tool[];
  readonly missing: readonly string[];
}

/** How a call is run that is not recorded as it runs. */
export interface RunOptions {
  /** The call as everybody may see it, without its secrets. */
  readonly shown?: ToolCall;
  /** Exported variables that a command goes without. */
  readonly withheld?: readonly string[];
}

/** What a preview goes by. */
interface PreviewLook {
  readonly signal: AbortSignal;
  /** How much one snapshot of the work tree takes in. */
  readonly most?: SnapshotLimits | undefined;
}

/** Our own tools and those of the MCP servers as one list. */
export class Toolbox {
  readonly #sharedShell: SharedShell;
  readonly #outputs: SessionOutputs;
  readonly #servers: () => Promise<McpServers | null>;
  readonly #files = once(() => import('../../adapters/files/file-tools.ts'));

  readonly #serverWaitMs: number;

  constructor(
    sharedShell: SharedShell,
    outputs: SessionOutputs,
    servers: () => Promise<McpServers | null>,
    serverWaitMs = SERVER_WAIT_MS,
  ) {
    this.#serverWaitMs = serverWaitMs;
    this.#sharedShell = sharedShell;
    this.#outputs = outputs;
    this.#servers = servers;
  }

  /** The tools of the next request. */
  async list(signal: AbortSignal): Promise<OfferedTools> {
    const servers = await this.#servers();
    if (servers === null) return { tools: OWN_TOOLS, missing: [] };
    const { tools, missing } = await servers.tools({ waitMs: this.#serverWaitMs, signal });
    const starting = servers.statuses().filter(({ state }) => state === 'connecting');
    return {
      tools: [...OWN_TOOLS, ...tools],
      missing: missing.filter((name) => starting.some(({ alias }) => alias === name)),
    };
  }

  /** What the user should see before deciding: the change, and whether it can be undone. */
  async preview(call: ToolCall, look: PreviewLook): Promise<CallPreview> {
    const { cwd } = this.#sharedShell;
    if (isFileTool(call.name)) return this.#previewFileCall(call, { cwd, ...look });
    if (call.effect === 'read') return { undoable: true, ...(await this.#describeReading(call)) };
    const { checkPlaceUndoable } = await import('../../adapters/git/snapshot/path-undoable.ts');
    if (call.name !== EXEC_TOOL.name) return this.#previewServerCall(call, look);
    return checkPlaceUndoable(cwd, [], look);
  }

  /** A change that could not be worked out is not one that is known to be undoable. */
  async #previewFileCall(call: ToolCall, context: PreviewLook & { readonly cwd: string }): Promise<CallPreview> {
    const { previewFileTool } = await this.#files();
    const { outside, ...preview } = await previewFileTool(call.name, call.arguments, context);
    if (call.effect === 'read') return preview;
    // What lies outside is told alike, be it there or not.
    if (outside !== undefined) return { ...preview, undoable: false, why: outside };
    if (preview.problem === undefined) return preview;
    return { ...preview, undoable: false, why: 'it would fail as things stand' };
  }

  /** What a server does with its arguments is its own affair; that a path leads out of the work tree can be seen. */
  async #previewServerCall(call: ToolCall, look: PreviewLook): Promise<CallPreview> {
    const { cwd } = this.#sharedShell;
    const servers = await this.#servers();
    const { checkCallUndoable } = await this.#files();
    const base = servers?.startDirectory(call.name) ?? cwd;
    const undoable = await checkCallUndoable(call.arguments, { cwd, base, ...look });
    return { ...undoable, ...(servers === null ? {} : describeServerTool(servers, call.name)) };
  }

  /** A server's word that a tool only reads may be taken; what the tool is has to be known all the same. */
  async #describeReading({ name }: ToolCall): Promise<Pick<CallPreview, 'definition'>> {
    const servers = name.startsWith('aish.') ? null : await this.#servers();
    if (servers === null) return {};
    const { definition } = describeServerTool(servers, name);
    return definition === undefined ? {} : { definition };
  }

  /** Ties the rules of the configuration to the tools of a server as they are, when one of those lets a call of it run. */
  async noteRuled({ name }: Pick<ToolCall, 'name'>): Promise<void> {
    if (!name.startsWith('aish.')) (await this.#servers())?.noteRuled(name);
  }

  /** What is not as it was when the call was allowed, in words; null where all is. */
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
        : `the shell is in ${cwd} by now, and was in ${decided.cwd}`;
    if (!isFileTool(call.name) || preview?.path === undefined) return null;
    const { realTargetOf, changeSince } = await this.#files();
    const real = realTargetOf(call.name, call.arguments, cwd);
    if (real !== null && real !== preview.path) return `it leads to ${real} by now, and led to ${preview.path}`;
    return changeSince(preview);
  }

  /**
   * Runs an approved call, where `preview` said it would. Throws `AishError` when the tool could not be reached; a tool's own error is a
   * result.
   */
  async run(
    call: ToolCall,
    preview: CallPreview | undefined,
    signal: AbortSignal,
    { shown = call, withheld = [] }: RunOptions = {},
  ): Promise<ToolResult> {
    if (call.name === EXEC_TOOL.name) {
      const [line, put] = [commandOf(shown), commandOf(call)];
      // By custom no program that sees lines keeps what a blank begins.
      const options = { withheld, expanded: put === line ? null : ` ${put}` };
      const record = await this.#sharedShell.run(line, 'model', signal, options);
      return { text: '', isError: false, record };
    }
    if (call.name === OUTPUT_TOOL.name) return runOutputTool(call.arguments, this.#outputs, signal);
    if (isFileTool(call.name)) {
      const { path: expected, seen } = preview ?? {};
      const context = { cwd: this.#sharedShell.cwd, signal, seen, ...omitUndefined({ expected }) };
      const { runFileTool } = await this.#files();
      return runFileTool(call.name, call.arguments, context);
    }
    const servers = await this.#servers();
    if (servers === null) throw new AishError('tool.unknown', `there is no tool ${call.name}`);
    return this.#outputs.keepImages(await servers.call(call.name, call.arguments, signal));
  }
}

/** What a user should know of a server's tool beside the call: what the server says of it, and whether anybody has looked at that. */
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
