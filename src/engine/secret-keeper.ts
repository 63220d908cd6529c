import type { SecretFiles, SecretPlace } from '../adapters/secrets/sources.ts';
import { concealRecord } from '../core/secrets/conceal-record.ts';
import { listConfiguredSecrets } from '../core/secrets/configured.ts';
import {
  createSecretMatcher,
  type SecretByteStream,
  type SecretMatcher,
  type SecretStream,
} from '../core/secrets/matcher.ts';
import type { Secret } from '../core/secrets/secret.ts';
import type { Cover } from '../core/session/conceal-event.ts';
import type { CommandRecord } from '../protocol/command.ts';
import type { Config } from '../protocol/config.ts';

/** What a keeper knows from the start. */
export interface SecretKeeperOptions {
  readonly config: Pick<Config, 'models' | 'mcp'>;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Further variables that hold a key whatever they are called. */
  readonly keyVariables?: readonly string[];
}

/** Where secrets are looked for, and what the shell exports there. */
export interface KeeperPlace extends SecretPlace {
  readonly exports?: Readonly<Record<string, string>>;
}

/** Knows the secrets of a session and takes them out of what leaves it. */
export class SecretKeeper {
  readonly #options: SecretKeeperOptions;
  readonly #byName = new Map<string, Secret>();
  readonly #byValue = new Map<string, Secret>();
  #matcher: SecretMatcher = createSecretMatcher([]);
  readonly #cover: Cover = { text: (text) => this.conceal(text), known: (text) => this.concealKnown(text) };
  #files: SecretFiles | null = null;
  #variables: ReadonlySet<string> = new Set();

  constructor(options: SecretKeeperOptions) {
    this.#options = options;
    this.#learn(listConfiguredSecrets(options.config, options.env, options.keyVariables));
  }

  /** Looks where secrets may have changed. Never throws. */
  async refresh(place: KeeperPlace): Promise<void> {
    const { SecretFiles } = await import('../adapters/secrets/sources.ts');
    this.#files ??= new SecretFiles();
    this.#learn(this.#files.read(place));
    const exported = Object.entries(place.exports ?? this.#options.env);
    this.#variables = new Set(exported.flatMap(([name, value]) => (this.#byValue.has(value ?? '') ? [name] : [])));
  }

  /** Learns the secrets that a line typed by the person sets. */
  learnLine(_line: string): void {}

  /** Learns values that another part knows to be secret, such as a token of a server. */
  learn(secrets: readonly Secret[]): void {
    this.#learn(secrets);
  }

  /** The text with a placeholder where a secret stood. */
  conceal(text: string): string {
    return this.#matcher.conceal(text);
  }

  /** The same, but only of what is known to be secret: for text that means something to a program, such as the arguments of a call. */
  concealKnown(text: string): string {
    return this.#matcher.conceal(text);
  }

  /** Both ways for who covers whole facts and requests. */
  get cover(): Cover {
    return this.#cover;
  }

  /** A record without the secrets in what was typed and printed. */
  concealRecord(record: CommandRecord): CommandRecord {
    return concealRecord(record, (text) => this.conceal(text));
  }

  /** Takes secrets out of a text that comes in pieces. */
  stream(): SecretStream {
    return this.#matcher.stream();
  }

  /** The same for bytes, whatever they are. */
  byteStream(): SecretByteStream {
    const stream = this.stream();
    return {
      push: (bytes) =>
        toBytes(stream.push(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1'))),
      end: () => toBytes(stream.end()),
    };
  }

  /** The value a placeholder stands for; null when there is no such secret. */
  valueOf(name: string): string | null {
    return this.#byName.get(name)?.value ?? null;
  }

  /** The names of the secrets and where each is known from, never a value. */
  names(): readonly { readonly name: string; readonly from: string }[] {
    return [...this.#byName.values()].map(({ name, from }) => ({ name, from }));
  }

  /** Exported variables whose value is a known secret. */
  variables(): ReadonlySet<string> {
    return this.#variables;
  }

  #learn(secrets: readonly Secret[]): void {
    const fresh = secrets.filter(({ value }) => !this.#byValue.has(value));
    for (const { name, value, from } of fresh) {
      if (this.#byValue.has(value)) continue;
      const named = { name: this.#freeName(name), value, from };
      this.#byName.set(named.name, named);
      this.#byValue.set(value, named);
    }
    if (fresh.length > 0) this.#matcher = createSecretMatcher([...this.#byName.values()]);
  }

  #freeName(name: string): string {
    if (!this.#byName.has(name)) return name;
    let number = 2;
    while (this.#byName.has(`${name}-${number}`)) number += 1;
    return `${name}-${number}`;
  }
}

/** Text as single bytes, placeholders in it as UTF-8. */
function toBytes(text: string): Uint8Array {
  return Buffer.from(
    text.replace(/[^\0-\xff]+/g, (other) => Buffer.from(other).toString('latin1')),
    'latin1',
  );
}
