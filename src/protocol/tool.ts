import type { CommandRecord } from './command.ts';
import type { JsonObject } from './json.ts';

/** What running a tool may do: look, change files, or run a command. Unknown counts as `write`. */
export type ToolEffect = 'read' | 'write' | 'exec';

/** A tool of a server, or one of our own under the reserved alias `aish`. */
export interface Tool {
  /** `alias.tool`: the name users, config and policy use. */
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the arguments. */
  readonly parameters: JsonObject;
  readonly effect: ToolEffect;
  /** Its server says that it only reads. Nobody trusts that, so `effect` does not follow from it. */
  readonly hint?: 'read';
  /** A user has reviewed exactly this definition. */
  readonly reviewed?: true;
}

/** Where a call came from: the model's tool_calls, or a `CMD:` line of its final answer. */
type CallOrigin = 'model' | 'command-line';

/** A call the model asked for, resolved to a tool where that was possible. */
export interface ToolCall {
  readonly id: string;
  /** `alias.tool`; for an unknown tool whatever name the model used. */
  readonly name: string;
  readonly arguments: JsonObject;
  readonly effect: ToolEffect;
  readonly origin: CallOrigin;
  /** What the model's server put beside the call and wants back with it. */
  readonly extra?: JsonObject;
  /** Why this call cannot run (unknown tool, broken arguments, cut answer). The model is told; nothing runs. */
  readonly invalid?: string;
}

/** An image among what a tool answered, before it is kept anywhere. */
export interface ReturnedImage {
  readonly mime: string;
  /** Base64. */
  readonly data: string;
  /** What stands for it in the text of the result. */
  readonly label: string;
}

/** An image that a tool returned, in a file of the session. */
export interface SavedImage {
  readonly path: string;
  readonly mime: string;
  readonly bytes: number;
}

/** What a tool answered. `isError` means the tool reported an error, which the model can react to. */
export interface ToolResult {
  readonly text: string;
  readonly isError: boolean;
  /** The command it ran, if any. */
  readonly record?: CommandRecord;
  /** Images as they came; the session keeps them, and `images` says where. */
  readonly returned?: readonly ReturnedImage[];
  readonly images?: readonly SavedImage[];
}

/** What a command does, mildest first: the gravest of its parts decides. */
export type CommandClass = 'read-only' | 'mutating' | 'network' | 'privileged' | 'destructive' | 'unparseable';

/** A rule that would let a command, and others like it, run without asking. */
export interface ProposedRule {
  /** Whole words, as a line of the shell would have them. */
  readonly prefix: string;
  /** What it covers does no more than this. */
  readonly class: CommandClass;
}

/** What the gate says of the command that a call carries: true for exactly these bytes, there. */
export interface CommandDecision {
  readonly class: CommandClass;
  readonly decision: 'allow' | 'ask' | 'deny';
  /** The gravest first. */
  readonly reasons: readonly string[];
  /** The refusals that no rule lifts. */
  readonly hardDenials: readonly string[];
  /** Directory it was classified for. */
  readonly cwd: string;
  /** The rule that decided, where one did. */
  readonly rule?: string;
  /** It only looks, so it runs in the sandbox without a question. */
  readonly autoRun?: true;
  /** The files of code that it names and would run, as they were when it was classified: a yes is for these. */
  readonly scripts?: readonly NamedScript[];
  /** What its first words meant to the shell when it was classified: a yes is for that. */
  readonly programs?: readonly NamedProgram[];
  /** The rules that would cover it, one for each part that none covers yet; left out where it cannot be had. */
  readonly proposal?: readonly ProposedRule[];
}

/** A file of code that a command names, and what stands for what was in it. */
export interface NamedScript {
  readonly path: string;
  readonly seen: string;
}

/** The first word of a command, and what stands for what the shell takes it for. */
export interface NamedProgram {
  readonly name: string;
  readonly seen: string;
}

/** A secret that a call would be given, by name, and who gets it. */
export interface GrantedSecret {
  readonly name: string;
  /** The program or the tool, with what is known of where it sends it: `curl (api.github.com)`. */
  readonly to: string;
  /** The rule that hands it over without asking; without one the user's yes does, this once. */
  readonly rule?: string;
  /** All that the line runs has it in its environment. */
  readonly exported?: true;
}

/** What the user is shown beside a call before deciding. */
export interface CallPreview {
  /** Unified diff of the file change, where the tool can tell. */
  readonly diff?: string;
  /** The file that would really be read or changed, links followed. */
  readonly path?: string;
  /**
   * Stands for the content that the diff begins with, under a key of the process: with another content by then, a yes is for something
   * else.
   */
  readonly seen?: string;
  /** Symbolic links lead from the path that the call names to `path`. */
  readonly linked?: true;
  /** It would read outside of the work tree, or of the directory where there is no repository. */
  readonly foreign?: true;
  /** Why the call would fail as things stand. */
  readonly problem?: string;
  /** False where no checkpoint can be made: "this write cannot be undone". */
  readonly undoable: boolean;
  /** Why it cannot be undone. */
  readonly why?: string;
  /** That holds for whatever is changed in this place. */
  readonly everywhere?: true;
  /** And an earlier question of the session told it. */
  readonly repeated?: true;
  /** The tool's server says that it only reads. */
  readonly hint?: 'read';
  /** Of a server's tool: nobody has reviewed what the server says of it, or it is not what it was when a rule for it began to hold. */
  readonly definition?: 'unreviewed' | 'moved';
  /** Of a call that carries a command. */
  readonly decided?: CommandDecision;
  /** The secrets that it would be handed as it runs. */
  readonly secrets?: readonly GrantedSecret[];
  /** The model has read untrusted content, and the call is one that asks for it. */
  readonly taint?: CallTaint;
  /** A yes runs it in the sandbox. */
  readonly sandboxed?: true;
  /** Why a yes runs it in the shell though it was to run in the sandbox. */
  readonly unsandboxed?: string;
  /** Why it is asked once more though it was allowed before. */
  readonly again?: string;
}

/**
 * Where untrusted content came from: a server's tool or what it says of its tools, the network, a file that is not the project's, what was
 * handed in from elsewhere, or a command of which nobody can tell.
 */
type TaintKind = 'server' | 'network' | 'file' | 'input' | 'command';

/** Where text came from that the model was sent and nobody here trusts. */
export interface TaintSource {
  readonly kind: TaintKind;
  /** As users call it: `weather.forecast`, `https://example.com`, `/home/ann/mail.txt`. */
  readonly name: string;
}

/** What a call would do that untrusted content must not bring about without asking. */
export interface CallTaint {
  /** What the model had read when it asked for the call. */
  readonly sources: readonly TaintSource[];
  /** What the call would do, as the end of "this". */
  readonly reach: string;
  /** The effects or the secrets of the call say the same. */
  readonly isShown?: true;
  /** The rule that would have allowed it; absent where none would. */
  readonly rule?: string;
}
