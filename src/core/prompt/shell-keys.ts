import { readFishWords } from '../commands/fish-line.ts';

/** A key binding of a startup file. */
export interface ShellBinding {
  /** The characters that the key sends. */
  readonly sequence: string;
  readonly to: /** A function of the shell's line editor, by its name in readline or zle. */
    | { readonly type: 'function'; readonly name: string }
    /** A macro: text that the key types. */
    | { readonly type: 'text'; readonly text: string }
    /** A shell command. */
    | { readonly type: 'command'; readonly name: string };
}

/** The keys of the startup files. */
export interface ShellKeys {
  readonly isVi: boolean;
  readonly bindings: readonly ShellBinding[];
}

/** Reads a file included by an inputrc; null if it cannot be read. */
type ReadIncluded = (path: string) => string | null;

const MOST_INCLUDED = 10;
/** Keymaps in which letters insert text. */
const INSERT_KEYMAPS = /^(?:emacs(?:-standard|-meta|-ctlx)?|vi-insert)$/;

/** Reads the inputrc files and the `bind` calls that configure readline. */
export class ReadlineKeys {
  readonly #bindings = new Map<string, ShellBinding>();
  readonly #read: ReadIncluded;
  #isVi = false;
  #keymap = 'emacs';
  #included = 0;

  constructor(read: ReadIncluded) {
    this.#read = read;
  }

  get keys(): ShellKeys {
    return { isVi: this.#isVi, bindings: [...this.#bindings.values()] };
  }

  /** Reads the text of an inputrc. */
  takeFile(text: string): void {
    const conditions: boolean[] = [];
    for (const raw of text.split('\n')) {
      const line = raw.trim();
      const [, directive = '', argument = ''] = /^\$(\w+)\s*(.*)$/.exec(line) ?? [];
      if (directive === 'if') conditions.push(this.#holds(argument));
      else if (directive === 'else') conditions.push(conditions.pop() === false);
      else if (directive === 'endif') conditions.pop();
      else if (conditions.includes(false)) continue;
      else if (directive === 'include') this.#include(argument);
      else this.#takeLine(line);
    }
  }

  /** Reads the words of a `bind` call. */
  takeCall(words: readonly string[]): void {
    const before = this.#keymap;
    for (let at = 0; at < words.length; at++) {
      const word = words[at] ?? '';
      if (/^-[mfxrqu]$/.test(word)) this.#takeOption(word, words[++at] ?? '');
      else if (!word.startsWith('-')) this.#takeLine(word);
    }
    this.#keymap = before;
  }

  #takeOption(option: string, value: string): void {
    if (option === '-m') this.#keymap = value;
    else if (option === '-f') this.#include(value);
    else if (option === '-x') this.#takeLine(value, 'command');
    else if (option === '-r') this.#bindings.delete(decodeReadline(value));
  }

  #include(path: string): void {
    const text = ++this.#included > MOST_INCLUDED ? null : this.#read(path);
    if (text !== null) this.takeFile(text);
  }

  #holds(test: string): boolean {
    const [, name, value] = /^(mode|term|version)\s*[=<>!]+\s*(\S+)/.exec(test) ?? [];
    if (name === 'mode') return (value === 'vi') === this.#isVi;
    return name === 'version' || /^bash$/i.test(test.trim());
  }

  #takeLine(line: string, kind: 'function' | 'command' = 'function'): void {
    const [, variable, value = ''] = /^set\s+(\S+)\s+(\S+)/i.exec(line) ?? [];
    if (variable?.toLowerCase() === 'editing-mode') this.#isVi = value === 'vi';
    if (variable?.toLowerCase() === 'keymap') this.#keymap = value;
    if (variable !== undefined || line.startsWith('#')) return;
    const quoted = /^"((?:\\.|[^"\\])*)"\s*:\s*(.+)$/.exec(line);
    const named = quoted === null ? /^([\w-]+|[\w-]*-\S)\s*:\s*(.+)$/.exec(line) : null;
    const sequence = quoted?.[1] === undefined ? toNamed(named?.[1] ?? '') : decodeReadline(quoted[1]);
    const target = (quoted?.[2] ?? named?.[2] ?? '').trim();
    if (sequence === '' || target === '' || !INSERT_KEYMAPS.test(this.#keymap)) return;
    this.#bindings.set(sequence, { sequence, to: toTarget(target, kind) });
  }
}

function toTarget(target: string, kind: 'function' | 'command'): ShellBinding['to'] {
  const macro = /^(["'])(.*)\1$/s.exec(target)?.[2];
  if (kind === 'command') return { type: 'command', name: (macro ?? target).trim().split(/\s/)[0] ?? '' };
  return macro === undefined ? { type: 'function', name: target.split(/\s/)[0] ?? '' } : { type: 'text', text: decodeReadline(macro) };
}

const ESCAPES: Readonly<Record<string, string>> = {
  ...{ a: '\x07', b: '\b', d: '\x7f', e: '\x1b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' },
};

/** Converts `\C-x\M-a\e[A` to the characters that keys send. */
function decodeReadline(text: string): string {
  return text.replace(
    /((?:\\(?:C-|M-))+)(\\?[\s\S])|\\(?:([0-7]{1,3})|x([0-9a-fA-F]{1,2})|([\s\S]))/g,
    (_, modifiers, key, octal, hex, other) => {
      if (modifiers !== undefined) return modified(String(modifiers), String(key));
      if (octal !== undefined) return String.fromCharCode(Number.parseInt(octal, 8));
      if (hex !== undefined) return String.fromCharCode(Number.parseInt(hex, 16));
      return ESCAPES[String(other)] ?? String(other);
    },
  );
}

function modified(modifiers: string, key: string): string {
  const character = key.startsWith('\\') ? (ESCAPES[key.slice(1)] ?? key.slice(1)) : key;
  const control = modifiers.includes('C-') ? toControl(character) : character;
  return modifiers.includes('M-') ? `\x1b${control}` : control;
}

function toControl(character: string): string {
  return character === '?' ? '\x7f' : String.fromCharCode(character.toUpperCase().charCodeAt(0) & 0x1f);
}

const NAMED: Readonly<Record<string, string>> = {
  ...{ rubout: '\x7f', del: '\x7f', esc: '\x1b', escape: '\x1b', lfd: '\n', newline: '\n', ret: '\r', return: '\r' },
  ...{ space: ' ', spc: ' ', tab: '\t' },
};

/** `Control-u`, `Meta-Rubout` and similar names. */
function toNamed(name: string): string {
  const [, modifiers = '', key = ''] = /^((?:(?:control|ctrl|c|meta|m)-)*)(.+)$/i.exec(name) ?? [];
  const character = NAMED[key.toLowerCase()] ?? (key.length === 1 ? key : '');
  if (modifiers === '' || character === '') return '';
  const control = /(?:^|-)c/i.test(modifiers) ? toControl(character) : character;
  return /(?:^|-)m/i.test(modifiers) ? `\x1b${control}` : control;
}

/** The output of `bindkey -L` after the startup files, without the defaults of zsh. */
export function readZleKeys(text: string, usual: string): ShellKeys {
  const known = new Set(usual.split('\n'));
  const bindings = text.split('\n').flatMap((line): readonly ShellBinding[] => {
    const found = known.has(line) ? null : /^bindkey (-s )?"((?:\\.|[^"\\])+)" (.+)$/.exec(line);
    const [, isText, keys, target = ''] = found ?? [];
    if (keys === undefined) return [];
    const sequence = decodeZle(keys);
    if (isText === undefined) return [{ sequence, to: { type: 'function', name: target } }];
    return [{ sequence, to: { type: 'text', text: decodeZle(target.slice(1, -1)) } }];
  });
  return { isVi: isViKeymap(text), bindings };
}

/** Whether the output of `bindkey -lL main` names the vi keymap. */
export function isViKeymap(text: string): boolean {
  return /^bindkey -A vi\w* main$/m.test(text);
}

function decodeZle(text: string): string {
  return text.replace(/\\M-(\^?)(\\?.)|\^(.)|\\(.)/gs, (_, control, meta, caret, escaped) => {
    if (caret !== undefined) return toControl(String(caret));
    if (escaped !== undefined) return String(escaped);
    const character = String(meta).slice(-1);
    return `\x1b${control === '^' ? toControl(character) : character}`;
  });
}

/** `commandline -f NAME` runs that function. */
const FUNCTION_CALL = /^commandline -f ([\w-]+)$/;

/** Reads the output of `bind --user` in fish. */
export function readFishKeys(text: string): ShellKeys {
  const [usual = '', ...rows] = text.split('\n');
  const isVi = usual.endsWith('vi_key_bindings');
  const bindings = rows.flatMap((row): readonly ShellBinding[] => {
    const [name, ...words] = readFishWords(row);
    const mode = words[0] === '-M' ? words[1] : 'default';
    const [keys = '', target = '', ...more] = words[0] === '-M' ? words.slice(2) : words;
    if (name !== 'bind' || mode !== (isVi ? 'insert' : 'default') || keys.startsWith('-') || target === '') return [];
    const sequence = /^(?:ctrl|alt)-/.test(keys) ? keys.split(',').map(toFishKey).join('') : keys;
    const called = FUNCTION_CALL.exec(target)?.[1] ?? target;
    const isFunction = more.length === 0 && /^[\w-]+$/.test(called);
    return [{ sequence, to: isFunction ? { type: 'function', name: called } : { type: 'command', name: called.split(/\s/)[0] ?? '' } }];
  });
  return { isVi, bindings };
}

/** fish 4 has key names: `ctrl-x`, `alt-e`. */
function toFishKey(key: string): string {
  const [, modifiers = '', character = ''] = /^((?:ctrl-|alt-)+)([\s\S])$/.exec(key) ?? [];
  if (character === '') return key;
  const control = modifiers.includes('ctrl-') ? toControl(character) : character;
  return modifiers.includes('alt-') ? `\x1b${control}` : control;
}
