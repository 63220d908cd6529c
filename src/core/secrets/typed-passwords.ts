import { programsWith, type TextFacts, textFacts } from '../commands/text-facts.ts';
import { joinedRegExp } from '../text/joined-regexp.ts';
import { memoize } from '../text/memoize.ts';
import { readTyped, type TypedCommand, type TypedWord } from './assignments.ts';
import { type Drawn, isDrawn, isDrawnOfLetters, isOrdinary, isSecretName } from './names.ts';
import { inOrder, PLACEHOLDER, type ShapeFinding } from './secret.ts';

/*
 * Finds a password in a line by its position: after a telling word or option, after a user name, in a header, in a URL, in the input of a
 * program that asks for one. A value that looks random counts after weaker words, and a mix of letters of both cases and digits counts
 * anywhere. Specs list the options without telling names, whose values need not look random.
 */

/** How a line is read: as a typed line, or as a line of any text, in which only random-looking values count. */
interface TypedOptions {
  readonly isTyped: boolean;
}

/** An option by which a program takes a password of any form: with a user before it, or as the last word of the call. */
interface PasswordOption {
  readonly option: RegExp;
  readonly isPair?: boolean;
  readonly isLast?: boolean;
}

/** The options of a program, made when it is met: those of all programs would take 4 ms of a one-shot's start. */
const optionsOf = memoize(({ password, passwordPair, passwordLast }: TextFacts): readonly PasswordOption[] =>
  [password, passwordPair, passwordLast].flatMap((pattern = '', at) =>
    pattern === '' ? [] : [{ option: new RegExp(pattern), isPair: at === 1, isLast: at === 2 }],
  ),
);

/** `login -p password`, `secret set --body value`, in any program. */
const OF_VERBS: readonly (PasswordOption & { readonly verbs: string })[] = [
  { verbs: 'login', option: /^-p(?==|$)/ },
  { verbs: 'secret set', option: /^-(?:b|-body|v|-value)$/ },
];

/** Names before a secret of any form, in addition to those that are telling everywhere. */
const TELLING = /(?:^|[-_.:])(?:pass|pw|pwd|passw|psk|apikey|authkey|storepass|keypass|passin|passout|sas|otp)$/i;

/** Names before a secret that looks random. */
const HINTING = joinedRegExp(
  'i',
  String.raw`^(?!.{300})(?:(?:.*[-_.])?(?:auth|key|login|session\w*|sid|cookie|code|cred\w*|license|value|body|data`,
  String.raw`|community|signature|sig|hash|bearer|seed|unseal|unlock\w*)|(?=\w*(?:pass|secret|token|psk|user_pw))\w+`,
  String.raw`|adduser|add_user|change_password|setpassword|authtoken|unlock|auth|rclone|obscure|encrypt\w*|identified`,
  '|requirepass|masterauth)$',
);

/** Words of read-only commands. */
const LOOKS = /^(?:get\S*|show|list\S*|ls|describe\S*|inspect|rm|delete\S*|access|versions|view|status|lookup|logs?)$/i;

/** Options by which programs read a password from standard input. */
const READS = /^(?:-S|--(?:password|passwd|pass|token|passwd-on)\S*|--with-token|--stdin\S*)$/;

/** A reference: to a variable, a file, or later input. */
const REFERENCE = /^[$`<%@{~-]|^(?:file|env|fd|stdin|prompt):|^(?:true|false|none|null|yes|no|on|off|stdin|prompt|ask)$|⟨/i;

/** A user with a password. */
const PAIR = /^[^\s"':%,/=]{1,200}[:%,](.+)$/;
const BEFORE_HOST = /^[^\s"'/:@]{1,200}[:/]([^\s@]+)@(?!sha\d)/;
const OF_ADDRESS = /(?<![a-z0-9+.-])[a-z][a-z0-9+.-]{1,20}:\/\/(?:[^\s/:@]{0,200}:)?([^\s/@]{1,512})@/i;
/** A URL whose path alone grants access. */
const OPEN_PATH = /^rtmps?:|hook|\/bot\d|\/t\//i;
const USER_AND_PASSWORD = /^[A-Za-z]\w{0,40}\/([^\s/@]{8,200})$/;
const QUERY = /[?&#;]([\w.-]{1,64})=([^\s&#"']+)/g;
const OF_USER = /^-(?:[uUa]|-?[\w-]*(?:user|auth|creds?|credentials|login))$/;
/** Password options next to those for a user. */
const OF_LOGIN = /^-[pPwAXaK]$/;
/** `pwd: "…"` in code. */
const IN_CODE = /(?<![\w-])([\w-]{2,60})["']?: ?["']([^"'\s]{6,200})["']/g;
const HEADER =
  /^(?:--?[A-Za-z-]{1,20}=)?([A-Za-z][\w-]{0,60}):[ \t]*(?:(?:bearer|basic|token|digest|negotiate|apikey|key)[ \t]+(?:token=)?)?(\S.*)$/i;
const TOKEN_START = joinedRegExp(
  '',
  String.raw`^(?:[spr]k[-_]|gh[pousr][-_]|glpat-|xox[abeoprs]-|dop_v1_|shpat_|github_pat_|npm_|hf_)[\w-]{10,}$|^(?:AKIA`,
  String.raw`|ASIA)[A-Z0-9]{12,}$|^AIza[\w-]{20,}$`,
);

/** Fingerprints of a key, as `ssh-keygen -l` prints them. */
const DIGEST = /\bSHA\d+:[\w+/=-]{20,}/gi;

const LITERALS = 'login|secret set|secret create|--from-literal|kv put|sudo -S|-stdin|--passw|-storepass|-keypass';

/** Every line of a text that is read as a typed line contains one of these. */
export function typedLiterals(): readonly string[] {
  const programs = (['password', 'passwordPair', 'passwordLast', 'readsPassword'] as const).flatMap(programsWith);
  return [...LITERALS.split('|'), ...programs.map((name) => `${name} `)];
}

/** Nested lines: `bash -c "…"` in `ssh host '…'`. */
const DEEPEST = 3;

/** Finds the passwords in a line, in order and without overlaps. */
export function findTyped(line: string, { isTyped }: TypedOptions): ShapeFinding[] {
  const found: ShapeFinding[] = [];
  const blanked = line.replace(PLACEHOLDER, ({ length }) => '⟨'.repeat(length));
  findInLine(blanked, { isTyped, depth: 0, add: (finding) => found.push(finding) });
  return inOrder(found);
}

interface Search {
  readonly isTyped: boolean;
  readonly depth: number;
  readonly add: (finding: ShapeFinding) => void;
}

/** The values that count as a secret in a position: any, or one that looks random; `key` also accepts hexadecimal digits. */
type Strength = 'any' | 'key' | Drawn;

function findInLine(line: string, search: Search): void {
  const commands = readTyped(line);
  commands.forEach((command, at) => {
    const look = new CommandLook(line, command, search);
    look.findInWords(command.isInner ? commands[at - 1]?.words.at(-1)?.text : '');
    const next = command.isPiped ? commands[at + 1] : command.isInner ? commands[at - 1] : undefined;
    if (next !== undefined && textFacts().get(command.words[0]?.text ?? '')?.printsWords !== undefined)
      look.findFed(command.words.slice(1), new CommandLook(line, next, search));
    look.findFed(command.fed, look);
  });
}

/** One command of a line. */
class CommandLook {
  readonly #line: string;
  readonly #command: TypedCommand;
  readonly #search: Search;
  /** A word of the command says that it handles secrets. */
  readonly #tells: boolean;
  readonly #looks: boolean;
  /** The command names a user, so `-p` and similar options are the password. */
  readonly #namesUser: boolean;
  readonly #letters: readonly PasswordOption[];
  readonly readsPassword: boolean;

  constructor(line: string, command: TypedCommand, search: Search) {
    this.#line = line;
    this.#command = command;
    this.#search = search;
    const words = command.words.map(({ text }) => text);
    this.#looks = words.some((word) => LOOKS.test(word));
    this.#tells = !this.#looks && words.some((word) => word.length < 40 && isHinting(word.replace(/^-+/, '').replace(/=.*/s, '')));
    this.#namesUser = words.some((word) => /^-(?:[uUDl]|-?[\w-]*user(?:name)?)(?:=|$)/.test(word));
    const programs = words.map((word) => word.slice(word.lastIndexOf('/') + 1));
    this.#letters = [
      ...programs.flatMap((word) => textFacts().get(word) ?? []).flatMap(optionsOf),
      ...OF_VERBS.filter(({ verbs }) => verbs.split(' ').every((verb) => words.includes(verb))),
    ];
    this.readsPassword =
      programs.some((word) => textFacts().get(word)?.readsPassword !== undefined) || words.some((word) => READS.test(word));
  }

  /** Searches the words of the command. The first may be the argument of the function `called`, as in `set_password('…')`. */
  findInWords(called = ''): void {
    const { words } = this.#command;
    words.forEach((word, at) => {
      if (/[\s(]/.test(word.text)) this.#findInQuoted(word);
      this.#findInside(word);
      const before = words[at - 1]?.text ?? called;
      const strength = this.#strengthBehind(word, before, words[at - 2]?.text ?? '');
      if (strength !== null) this.#takeBehind(word, before, strength);
      this.#takeWhole(word);
    });
    const isLast = this.#letters.some((one) => one.isLast && words.some(({ text }) => one.option.test(text)));
    if (isLast) this.#take(words.at(-1), 'any');
  }

  /** Searches the input: any value for a program that asks for a password, and random-looking ones for a program that handles secrets. */
  findFed(words: readonly TypedWord[], receiver: CommandLook): void {
    const strength = receiver.readsPassword ? 'any' : receiver.#tells ? 'key' : 'mixed';
    for (const word of words) {
      if (/^-\w{1,3}$|^%s/.test(word.text)) continue;
      for (const line of word.text.split(/\\n|\n/)) {
        const value = /^[\w.-]+:(.+)$/.exec(line)?.[1] ?? line;
        if (strength !== 'any' || !/\s/.test(value)) this.#takeValue(word, value, strength);
      }
    }
  }

  /** A script in quotes, or text of another kind: SQL, a header, data. */
  #findInQuoted(word: TypedWord): void {
    const { depth, isTyped } = this.#search;
    if (depth >= DEEPEST) return;
    const inner: Search = { isTyped, depth: depth + 1, add: ({ name, value }) => this.#report(word, value, name) };
    findInLine(word.text, inner);
  }

  /** Values within a word: pairs, headers, URLs, users. */
  #findInside(word: TypedWord): void {
    const { text } = word;
    const [address, password] = OF_ADDRESS.exec(text) ?? [];
    if (password !== undefined) this.#takeValue(word, password, address?.endsWith(`:${password}@`) ? 'any' : 'key');
    const [, beforeHost] = BEFORE_HOST.exec(text) ?? [];
    if (address === undefined && beforeHost !== undefined) this.#takeValue(word, beforeHost, 'key');
    const [, besideUser] = USER_AND_PASSWORD.exec(text) ?? [];
    if (besideUser !== undefined) this.#takeValue(word, besideUser, 'mixed');
    if (text.includes('://') && OPEN_PATH.test(text)) for (const part of text.split(/[/?#:]/)) this.#takeValue(word, part, 'plain');
    for (const pattern of [QUERY, IN_CODE])
      for (const [, name = '', value = ''] of text.matchAll(pattern)) this.#takeNamed(word, name, value);
    const [, name = '', value = ''] = HEADER.exec(text) ?? [];
    if (name !== '' && !value.startsWith('//') && (text.includes(': ') || isTelling(name) || isHinting(name)))
      this.#takeHeader(word, name, value);
    this.#findPairs(word, text, 0);
  }

  #takeHeader(word: TypedWord, name: string, value: string): void {
    if (/^cookie$/i.test(name))
      for (const [, key = '', one = ''] of value.matchAll(/([^\s=;]{1,64})=([^\s;]+)/g))
        this.#takeValue(word, one, isTelling(key) ? 'any' : 'plain');
    else if (/\bauthorization$/i.test(name)) this.#takeValue(word, value, 'any');
    else if (!/\s/.test(value)) {
      const isHeader = /: /.test(word.text) && isTelling(name);
      this.#takeValue(word, value, isHeader ? 'any' : 'plain');
    }
  }

  /** `name=value`, `--from-literal=name=value`, `name=value,name=value`. */
  #findPairs(word: TypedWord, text: string, depth: number): void {
    if (depth > 2 || text.includes('://')) return;
    for (const part of text.split(/[&,;]/)) {
      const at = part.search(/[=]/);
      if (at <= 0) continue;
      const name = part.slice(0, at).replace(/^-+/, '').replace(/\+$/, '');
      if (/(?:file|path|dir)$/i.test(name)) return;
      const value = part.slice(at + 1).replace(/^=/, '');
      if (value.includes('=') && !value.endsWith('=')) this.#findPairs(word, value, depth + 1);
      const whole = isTelling(name) && text.startsWith(part) ? text.slice(at + 1) : value;
      this.#takeNamed(word, name, whole.replace(/^["']|["']$/g, ''));
    }
  }

  #takeNamed(word: TypedWord, name: string, value: string): void {
    if (/^(?:\w+_)?PWD$/.test(name) && /^[/~]/.test(value)) return;
    if (isTelling(name) && !this.#isOfLook(name)) this.#takeValue(word, value, 'any');
    else if (isHinting(name) || this.#tells) this.#takeValue(word, PAIR.exec(value)?.[1] ?? value, 'plain');
  }

  /** The name of an object in a read-only command: `get-secret-value --secret-id X`. */
  #isOfLook(name: string): boolean {
    return this.#looks && /secret$/i.test(name);
  }

  /** How likely a word is a password, by the words before it; null without evidence. */
  #strengthBehind(word: TypedWord, before: string, beforeThat: string): Strength | null {
    if (this.#letters.some(({ option, isLast }) => isLast !== true && option.exec(before)?.[0] === before)) return 'any';
    const name = before.replace(/^-+/, '').replace(/:$/, '');
    if (/^by$/i.test(before) && /^identified$/i.test(beforeThat)) return 'any';
    if (before.startsWith('-') && !before.includes('=')) {
      if (/^-[a-zA-Z]$/.test(before)) return this.#namesUser && OF_LOGIN.test(before) ? 'key' : 'plain';
      if (isTelling(name) && !this.#isOfLook(name)) return 'any';
      return isHinting(name) || this.#tells ? 'plain' : null;
    }
    if (this.#looks) return null;
    if (isTelling(name) || (before === 'send' && /^(?:-- )?\S+\\[rn]$/.test(word.text))) return 'loose';
    if (isHinting(name) || isHinting(beforeThat.replace(/^[-+]+/, ''))) return 'plain';
    return this.#tells ? 'plain' : null;
  }

  #takeBehind(word: TypedWord, before: string, strength: Strength): void {
    const isPair = this.#letters.some((one) => one.isPair && one.option.exec(before)?.[0] === before);
    if (isPair) {
      this.#takePairs(word, word.text);
      return;
    }
    const isOfUser = /^[\w.-]{1,40}:[^/]/.test(word.text) && strength !== 'any';
    if (!isOfUser && (!word.text.includes('=') || strength === 'any')) this.#take(word, strength);
    const value = PAIR.exec(word.text)?.[1] ?? '';
    if (!/^\d+$/.test(value)) this.#takeValue(word, value, OF_USER.test(before) ? 'key' : isOfUser ? strength : 'mixed');
  }

  /** `user:password`, `user%password`, `name=value; name=value`. */
  #takePairs(word: TypedWord, text: string): void {
    if (text.includes('=')) for (const [, one = ''] of text.matchAll(/=([^;\s]+)/g)) this.#takeValue(word, one, 'any');
    else if (/^[^\s:]+:$/.test(text)) this.#takeValue(word, text.slice(0, -1), 'loose');
    else this.#takeValue(word, PAIR.exec(text)?.[1] ?? '', 'any');
  }

  /** A word that is a password as a whole: an option with its value, a token, or a random-looking one. */
  #takeWhole(word: TypedWord): void {
    const { text } = word;
    if (TOKEN_START.test(text)) this.#report(word, text, 'token');
    for (const { option, isPair, isLast } of this.#letters) {
      if (isLast) continue;
      const [lead = ''] = option.exec(text) ?? [];
      if (lead === '' || lead.length === text.length) continue;
      const value = text.slice(lead.length).replace(/^=/, '');
      if (isPair) this.#takePairs(word, value);
      else if (!text.startsWith('--')) this.#takeValue(word, value, 'any');
    }
    const glued = /^-[a-zA-Z]{1,2}(?==?[^-])(?![a-z]+=)/.exec(text)?.[0] ?? '';
    const strength = this.#tells ? 'plain' : 'mixed';
    if (/^-[a-zA-Z]/.test(text) && !text.startsWith('--') && glued !== '')
      this.#takeValue(word, text.slice(/^-(?:hp|pw)/.test(text) ? 3 : 2).replace(/^[=:]/, ''), strength);
    if (text.includes('://') || (text.includes('/') && !/^\/[\w-]+:/.test(text))) return;
    for (const unit of text.replace(DIGEST, '').split(/[=:,;@%&?"'<>(){}|\\\s]+/))
      if (unit !== text || !unit.startsWith('-')) this.#takeValue(word, unit.replace(/^-+/, ''), strength);
  }

  #take(word: TypedWord | undefined, strength: Strength): void {
    if (word !== undefined) this.#takeValue(word, word.text, strength);
  }

  #takeValue(word: TypedWord, written: string, strength: Strength): void {
    const value = written.replace(/^pass:|\\[rn]$/g, '');
    if (value === '' || REFERENCE.test(value)) return;
    const { isTyped } = this.#search;
    const isAny = strength === 'any' && (isTyped ? !isPath(value) : !isOrdinary(value));
    if (isAny || (isTyped ? this.#looksDrawn(value, strength) : strength !== 'mixed' && isDrawn(value)))
      this.#report(word, value, 'password');
  }

  #looksDrawn(value: string, strength: Strength): boolean {
    if (strength === 'mixed') return isDrawn(value);
    const wanted = strength === 'any' || strength === 'key' ? 'plain' : strength;
    return isDrawn(value, wanted) || this.#isKey(value, strength);
  }

  /** Letters only, or hexadecimal digits, in a command that handles secrets: its own ids are shorter. */
  #isKey(value: string, strength: Strength): boolean {
    if (strength !== 'loose' && strength !== 'key' && !this.#tells) return false;
    return isDrawnOfLetters(value) || (/^[0-9a-f]{20,}$/i.test(value) && /[a-f]/i.test(value));
  }

  /** Reports a value within its word, or the whole word if the value is written differently there. */
  #report({ from, to }: TypedWord, value: string, name: string): void {
    const written = this.#line.slice(from, to);
    let at = written.indexOf(value);
    if (at < 0) this.#search.add({ from, to, name, value });
    for (; at >= 0; at = written.indexOf(value, at + value.length))
      this.#search.add({ from: from + at, to: from + at + value.length, name, value });
  }
}

function isTelling(name: string): boolean {
  return name.length < 80 && !/existing/i.test(name) && (isSecretName(name) || TELLING.test(name));
}

function isHinting(name: string): boolean {
  return name.length < 80 && HINTING.test(name);
}

function isPath(value: string): boolean {
  return /^(?:~|\.{1,2})?\//.test(value) && isOrdinary(value.padEnd(8, '/'));
}
