import { TrustStore } from '../../adapters/config/trust.ts';
import {
  type ExtensionContext,
  type FoundSkill,
  findSkills,
  isFileOfSkill,
} from '../../adapters/extend/extension-files.ts';
import { fitSkills, formatSkills } from '../../core/extend/extensions.ts';
import { escapeForDisplay } from '../../core/text/sanitize.ts';
import { formatOffered, formatUntrustedSkill } from './messages.ts';

interface SkillsNotice {
  readonly level: 'info' | 'warning';
  readonly text: string;
}

/** The skills that the requests of a session list. They change only at the beginning of a turn, so that servers can cache the messages. */
export class SessionSkills {
  readonly #context: ExtensionContext & { readonly state: string };
  readonly #trust: TrustStore;
  #skills: readonly FoundSkill[] = [];
  #text: string | null = null;
  /** The last notices, which appear only once. */
  #notified = '';

  constructor(context: ExtensionContext & { readonly state: string }) {
    this.#context = context;
    this.#trust = new TrustStore(context.state);
  }

  /** Their part of the system message; null for nothing. */
  get text(): string | null {
    return this.#text;
  }

  /** Looks for them again, for a context window of this size, and returns new notices. */
  look(windowTokens: number | null): readonly SkillsNotice[] {
    const found = findSkills(this.#context);
    this.#skills = found.filter(({ isTrusted }) => isTrusted);
    const listed = fitSkills(this.#skills, windowTokens);
    this.#text = formatSkills(listed);
    const left = this.#skills.length - listed.length;
    const notices: readonly SkillsNotice[] = [
      ...(listed.length === 0 && left === 0
        ? []
        : [
            {
              level: 'info' as const,
              text: formatOffered(
                listed.map(({ name }) => escapeForDisplay(name)),
                left,
              ),
            },
          ]),
      ...found
        .filter(({ isTrusted }) => !isTrusted)
        .map(({ path }) => ({ level: 'warning' as const, text: formatUntrustedSkill(escapeForDisplay(path)) })),
    ];
    const key = JSON.stringify(notices);
    if (key === this.#notified) return [];
    this.#notified = key;
    return notices;
  }

  /** Whether a path is a file of one of the skills, with content that the user trusts. */
  has(path: string): boolean {
    return this.#skills.some((skill) => isFileOfSkill(path, skill, this.#trust));
  }
}
