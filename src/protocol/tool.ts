import type { CommandRecord } from './command.ts';
import type { JsonObject } from './json.ts';

/** The effect of a tool: it reads, changes files, or runs a command. An unknown effect counts as `write`. */
export type ToolEffect = 'read' | 'write' | 'exec';

/** A tool of a server, or a built-in tool with the reserved alias `aish`. */
export interface Tool {
  /** `alias.tool`: the name for users, configuration and policy. */
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the arguments. */
  readonly parameters: JsonObject;
  readonly effect: ToolEffect;
  /** The server says that the tool only reads. aish does not trust that, so `effect` does not follow from it. */
  readonly hint?: 'read';
  /** A user has reviewed exactly this definition. */
  readonly reviewed?: true;
}

/** The origin of a call: the tool_calls of the model, or a `CMD:` line of its final answer. */
type CallOrigin = 'model' | 'command-line';

/** A call of the model, resolved to a tool if possible. */
export interface ToolCall {
  readonly id: string;
  /** `alias.tool`; for an unknown tool, the name that the model used. */
  readonly name: string;
  readonly arguments: JsonObject;
  readonly effect: ToolEffect;
  readonly origin: CallOrigin;
  /** The model printed the call as text, because its server has no parser for calls. */
  readonly isPrinted?: true;
  /** Extra data of the model server, which it needs back with the call. */
  readonly extra?: JsonObject;
  /** The reason why this call cannot run (unknown tool, broken arguments, cut answer). The model reads it; nothing runs. */
  readonly invalid?: string;
}

/** An image, a sound or other binary data in the result of a tool, before aish saves it. */
export interface ReturnedFile {
  readonly mime: string;
  /** Base64. */
  readonly data: string;
  /** The placeholder for it in the text of the result. */
  readonly label: string;
}

/** An image that a tool returned, in a file of the session. */
export interface SavedImage {
  readonly path: string;
  readonly mime: string;
  readonly bytes: number;
}

/** The result of a tool. `isError`: the tool reported an error, and the model can react to it. */
export interface ToolResult {
  readonly text: string;
  readonly isError: boolean;
  /** The command that the tool ran, if any. */
  readonly record?: CommandRecord;
  /** Binary data as it came; the session saves it, and `images` has the paths of images. */
  readonly returned?: readonly ReturnedFile[];
  readonly images?: readonly SavedImage[];
}

/** The progress of a call, as its server reports it; `total` is absent if the server does not know it. */
export interface CallProgress {
  readonly callId: string;
  readonly name: string;
  readonly done: number;
  readonly total?: number;
  readonly message?: string;
}

/** The class of a command, mildest first. If it has several parts, the most dangerous one decides. */
export type CommandClass = 'read-only' | 'mutating' | 'network' | 'privileged' | 'destructive' | 'unparseable';

/** A rule that would let a command, and others like it, run without asking. */
export interface ProposedRule {
  /** Whole words, as in a shell line. */
  readonly prefix: string;
  /** The rule covers no command of a more dangerous class. */
  readonly class: CommandClass;
}

/** The kinds of effects of a command. */
export type EffectKind =
  | (
      | 'reads'
      | 'adds'
      | 'task'
      | 'changes'
      | 'keeps'
      | 'runs'
      | 'each'
      | 'network'
      | 'privileged'
      | 'destroys'
      | 'wrecks'
    )
  | ('remote code' | 'hides' | 'disguised' | 'starts' | 'plants' | 'self' | 'leaks' | 'secrets' | 'beyond')
  | ('deceives' | 'torn' | 'unclear');

/**
 * The cause of an effect. `program`: the program has the effect with any words. `other`: the detail says more, and no code depends on it.
 */
export type ReasonCode =
  | (
      | 'program'
      | 'other'
      | 'task'
      | 'path'
      | 'replaced'
      | 'outside'
      | 'unknown-path'
      | 'device-connection'
      | 'assignment'
    )
  | ('script' | 'printed-script' | 'input-script' | 'sed-script' | 'unknown-command' | 'fed-option' | 'own-name')
  | ('too-slow' | 'hidden-character' | 'look-alike');

/** One effect of a command, as codes with arguments. The screen turns it into a sentence, and no code parses that sentence. */
export interface CommandEffect {
  readonly kind: EffectKind;
  readonly because: ReasonCode;
  /** The affected file: absolute if the directory is known, else as typed; null if the text does not show it. */
  readonly path?: string | null;
  /** The subject of the effect, as typed. Only the user reads it. */
  readonly detail?: string;
  readonly class: CommandClass;
  /** The first words of the simple command with this effect; absent for the line as a whole. */
  readonly command?: string;
  /** A built-in rule denies it. */
  readonly isDenied?: true;
}

/** The policy's decision on the command of a call. It applies to exactly these bytes in this directory. */
export interface CommandDecision {
  readonly class: CommandClass;
  readonly decision: 'allow' | 'ask' | 'deny';
  /** The effects of the command, in line order; absent in logs of older versions. */
  readonly effects?: readonly CommandEffect[];
  /** Other reasons to ask; in logs of older versions also the effects, the most severe first. */
  readonly reasons: readonly string[];
  /** The built-in denials, which no rule overrides. */
  readonly hardDenials: readonly string[];
  /** The directory of the classification. */
  readonly cwd: string;
  /** The rule that decided, if one did. */
  readonly rule?: string;
  /** The command only reads, so it runs in the sandbox without asking. */
  readonly autoRun?: true;
  /** The scripts that the command would run, as they were at the classification. An approval covers only these versions. */
  readonly scripts?: readonly NamedScript[];
  /** The meaning of its first words in the shell at the classification. An approval covers only this meaning. */
  readonly programs?: readonly NamedProgram[];
  /** Rules that would cover the command, one for each part without a rule; absent if no rule can. */
  readonly proposal?: readonly ProposedRule[];
}

/** A script that a command names, and a hash of its content. */
export interface NamedScript {
  readonly path: string;
  readonly seen: string;
}

/** The first word of a command, and a hash of its meaning in the shell. */
export interface NamedProgram {
  readonly name: string;
  readonly seen: string;
}

/** A secret that aish would inject into a call, by name, and its receiver. */
export interface GrantedSecret {
  readonly name: string;
  /** The program or tool, with the known destination: `curl (api.github.com)`. */
  readonly to: string;
  /** The rule that grants the secret without asking; without a rule the user's approval grants it once. */
  readonly rule?: string;
  /** All programs of the line have the secret in their environment. */
  readonly exported?: true;
}

/** The facts that an approval prompt shows about a call. */
export interface CallPreview {
  /** Unified diff of the file change, if the tool can make one. */
  readonly diff?: string;
  /** The file that the call would read or change, with links resolved. */
  readonly path?: string;
  /** A keyed hash of the content before the diff: an approval does not cover another content. */
  readonly seen?: string;
  /** Symbolic links lead from the path that the call names to `path`. */
  readonly linked?: true;
  /** The call would read outside the work tree, or outside the directory if there is no repository. */
  readonly foreign?: true;
  /** The reason why the call would fail now. */
  readonly problem?: string;
  /** False if no checkpoint is possible. */
  readonly undoable: boolean;
  /** The reason why an undo is impossible. */
  readonly why?: string;
  /** The reason applies to every change in this folder. */
  readonly everywhere?: true;
  /** An earlier approval prompt of the session showed the reason. */
  readonly repeated?: true;
  /** The server says that the tool only reads. */
  readonly hint?: 'read';
  /** `unreviewed`: the user has not reviewed the definition of the tool. `moved`: it has changed since a rule began to apply. */
  readonly definition?: 'unreviewed' | 'moved';
  /** Only for a call with a command. */
  readonly decided?: CommandDecision;
  /** The secrets that aish would inject. */
  readonly secrets?: readonly GrantedSecret[];
  /** Set if the call needs approval because the model has read untrusted content. */
  readonly taint?: CallTaint;
  /** After an approval the call runs in the sandbox. */
  readonly sandboxed?: true;
  /** The reason why an approved call runs outside the sandbox although `sandbox` is on. */
  readonly unsandboxed?: string;
  /** The contract of an autonomous run allows the call. */
  readonly byContract?: true;
  /** The reason for another approval prompt after the call was allowed. */
  readonly again?: string;
  /** The call reads a file of a skill that the user trusts. */
  readonly skill?: true;
  /** The sentence of a hook that asks for the approval. */
  readonly hook?: string;
}

/**
 * The kind of a source of untrusted content: a server (results and descriptions of tools), the network, a file outside the project, piped
 * or imported input, or a command with unknown sources.
 */
type TaintKind = 'server' | 'network' | 'file' | 'input' | 'command';

/** A source of untrusted content that the model has read. */
export interface TaintSource {
  readonly kind: TaintKind;
  /** The name of the source: `weather.forecast`, `https://example.com`, `/home/ann/mail.txt`. */
  readonly name: string;
}

/** An effect of a call that needs approval because of untrusted content. */
export interface CallTaint {
  /** The untrusted content that the model had read before the call. */
  readonly sources: readonly TaintSource[];
  /** The effect of the call, as the end of a sentence that begins with "this". */
  readonly reach: string;
  /** The effects or the secrets in the prompt show it already. */
  readonly isShown?: true;
  /** The rule that would have allowed the call, if any. */
  readonly rule?: string;
}
