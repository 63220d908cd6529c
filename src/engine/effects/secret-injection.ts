import { readFileSync, statSync } from 'node:fs';
import { isCommand } from '../../core/policy/policy.ts';
import { formatFile, formatUnknownSecrets } from '../../core/secrets/messages.ts';
import { placeholdersIn, revealPlaceholders } from '../../core/secrets/secret.ts';
import type { SecretRules } from '../../core/secrets/secret-rules.ts';
import { type JsonObject, mapTexts, omitUndefined } from '../../protocol/json.ts';
import type { GrantedSecret, ToolCall } from '../../protocol/tool.ts';
import { type CommandGate, commandOf } from '../policy/command-gate.ts';
import type { SecretStore } from '../secrets/secret-store.ts';
import type { SandboxedLine } from '../shell/sandbox-runner.ts';
import type { SharedShell } from '../shell/shared-shell.ts';
import { lazy } from './lazy.ts';

interface InjectorDeps {
  readonly secretStore: Pick<SecretStore, 'valueOf' | 'redact' | 'variables'>;
  /** The rules that grant secrets without asking. */
  readonly rules: SecretRules;
  readonly gate: Pick<CommandGate, 'classify'>;
  readonly sharedShell: Pick<SharedShell, 'shell' | 'cwd'>;
  /** Looks where secrets may have changed since. */
  readonly lookForSecrets: () => Promise<void>;
}

/** A call with the values of its secrets. No event and no result may contain it. */
export interface RevealedCall {
  readonly call: ToolCall;
  /** The secrets that it gets. */
  readonly secrets: readonly GrantedSecret[];
  /** Why it cannot run, for the model; null where it can. */
  readonly problem: string | null;
}

/** A larger file is written and edited as it was shown. */
const LARGEST_FILE = 4 * 1024 * 1024;

/** Injects secrets into calls, and reports before that which secret goes to which program. */
export class SecretInjector {
  readonly #deps: InjectorDeps;

  constructor(deps: InjectorDeps) {
    this.#deps = deps;
  }

  /** The secrets that a call would get, and the call with them. */
  async look(call: ToolCall): Promise<RevealedCall> {
    if (isCommand(call)) return this.#lookAtCommand(call);
    if (call.name === 'aish.write_file' || call.name === 'aish.edit_file') return this.#lookAtFile(call);
    if (call.name.startsWith('aish.')) return { call, secrets: [], problem: null };
    return this.#lookAtTool(call);
  }

  /** The exported variables that a command goes without. */
  async withheldFrom(secrets: readonly GrantedSecret[]): Promise<readonly string[]> {
    const { withheldFrom } = await lazy.secretRules();
    return withheldFrom(this.#deps.secretStore.variables(), secrets);
  }

  /** The user's own line with the values of its placeholders; null where it has none that is known, or stands where none can be put. */
  revealLine(line: string): Promise<string | null> | null {
    const isNamed = placeholdersIn(line).some((name) => this.#deps.secretStore.valueOf(name) !== null);
    return isNamed ? this.#revealLine(line) : null;
  }

  async #revealLine(line: string): Promise<string | null> {
    const { secretStore } = this.#deps;
    const { putSecrets } = await lazy.putInLine();
    const put = putSecrets(line, (name) => ({ value: secretStore.valueOf(name) ?? `⟨secret:${name}⟩` }));
    return 'line' in put ? put.line : null;
  }

  /** The secrets that a line would get: those that it names, and those that a rule grants to its commands. */
  async secretsOf(line: string): Promise<readonly GrantedSecret[]> {
    const { secretStore, gate, rules, sharedShell } = this.#deps;
    await sharedShell.shell?.lookups.known();
    await this.#deps.lookForSecrets();
    const { secretsOfLine } = await lazy.secretRules();
    const { classification, context } = await gate.classify(line);
    return secretsOfLine(classification, { rules, variables: secretStore.variables(), place: context });
  }

  /** A command for a sandbox, in which the text of a line appears in the list of processes, too. */
  async forSandbox(line: string, secrets: readonly GrantedSecret[]): Promise<SandboxedLine> {
    const { secretStore } = this.#deps;
    const env: Record<string, string> = {};
    const placed = placeholdersIn(line);
    for (const { name, exported } of secrets) {
      const value = exported === true || !placed.includes(name) ? secretStore.valueOf(name) : null;
      if (value !== null && secretStore.variables().has(name)) env[name] = value;
    }
    if (placed.length === 0) return { line, env };
    const { putSecrets } = await lazy.putInLine();
    const put = putSecrets(line, (name) => {
      const value = secretStore.valueOf(name);
      const variable = `AISH_SECRET_${placed.indexOf(name) + 1}`;
      if (value !== null) env[variable] = value;
      return value === null ? null : { value, variable };
    });
    return { line: 'line' in put ? put.line : line, env };
  }

  async #lookAtCommand(call: ToolCall): Promise<RevealedCall> {
    const { secretStore } = this.#deps;
    const line = commandOf(call);
    const secrets = await this.secretsOf(line);
    if (placeholdersIn(line).length === 0) return { call, secrets, problem: null };
    const { putSecrets } = await lazy.putInLine();
    const put = putSecrets(line, (name) => {
      const value = secretStore.valueOf(name);
      return value === null ? null : { value };
    });
    if ('problem' in put) return { call, secrets, problem: put.problem };
    return { call: withArguments(call, { ...call.arguments, command: put.line }), secrets, problem: null };
  }

  async #lookAtTool(call: ToolCall): Promise<RevealedCall> {
    const { secretsOfArguments } = await lazy.secretRules();
    const secrets = secretsOfArguments(call.arguments, call.name, this.#deps.rules);
    const find = (name: string) => this.#deps.secretStore.valueOf(name);
    const unknown = secrets.filter(({ name }) => find(name) === null).map(({ name }) => name);
    if (unknown.length > 0) return { call, secrets, problem: formatUnknownSecrets(unknown) };
    return {
      call: withArguments(
        call,
        mapTexts(call.arguments, (text) => revealPlaceholders(text, find)),
      ),
      secrets,
      problem: null,
    };
  }

  /** Placeholders represent the values in the file, so that a model that has not seen the secrets can edit it. */
  async #lookAtFile(call: ToolCall): Promise<RevealedCall> {
    const texts = ['content', 'old', 'new'].map((key) => call.arguments[key]);
    if (!texts.some((text) => typeof text === 'string' && placeholdersIn(text).length > 0))
      return { call, secrets: [], problem: null };
    const { alignFile, fillEdit, fillText } = await lazy.filePlaceholders();
    const { realTargetOf } = await lazy.fileTools();
    const path = realTargetOf(call.name, call.arguments, this.#deps.sharedShell.cwd);
    const original = path === null ? null : readText(path);
    const file = original === null ? null : alignFile(original, this.#deps.secretStore.redact(original));
    const find = (name: string) => this.#deps.secretStore.valueOf(name);
    const [content, old, fresh] = texts;
    const isEdit = call.name === 'aish.edit_file' && typeof old === 'string' && typeof fresh === 'string';
    const edit = isEdit ? fillEdit({ old, fresh }, file, find) : null;
    const filled = edit?.fresh ?? fillText(typeof content === 'string' ? content : '', file, find);
    const put: JsonObject = edit === null ? { content: filled.text } : { old: edit.old, new: filled.text };
    if (filled.unknown.length > 0) return { call, secrets: [], problem: formatUnknownSecrets(filled.unknown) };
    const rules = (name: string) => (Object.hasOwn(this.#deps.rules, name) ? (this.#deps.rules[name] ?? []) : []);
    const secrets = filled.brought.map((name) => {
      const rule = rules(name).find((one) => one === call.name || one === 'aish.*');
      return { name, to: formatFile(path ?? String(call.arguments.path)), ...omitUndefined({ rule }) };
    });
    return { call: withArguments(call, { ...call.arguments, ...put }), secrets, problem: null };
  }
}

function withArguments(call: ToolCall, args: JsonObject): ToolCall {
  return { ...call, arguments: args };
}

/** The text of a file; null where it is none, is not there, or is too large. */
function readText(path: string): string | null {
  try {
    if (!statSync(path).isFile() || statSync(path).size > LARGEST_FILE) return null;
    const bytes = readFileSync(path);
    const text = bytes.toString('utf8');
    return Buffer.from(text, 'utf8').equals(bytes) ? text : null;
  } catch {
    return null;
  }
}
