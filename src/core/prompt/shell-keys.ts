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

/** The output of `bind -psX` and `bind -v`, without the defaults of bash; commands stand behind a line of their own. */
export function readReadlineKeys(text: string, usual: string): ShellKeys {
  const known = new Set(usual.split('\n'));
  const lines = text.split('\n');
  const bindings = lines.flatMap((line, at): readonly ShellBinding[] => {
    const [, keys, target = ''] = known.has(line) ? [] : (/^"((?:\\.|[^"\\])+)":? (.+)$/.exec(line) ?? []);
    if (keys === undefined) return [];
    const macro = /^"(.*)"$/.exec(target)?.[1];
    const isCommand = at > lines.indexOf(COMMANDS_FOLLOW);
    const name = (macro ?? target).trim().split(/\s/)[0] ?? '';
    if (macro !== undefined && !isCommand) return [{ sequence: decodeReadline(keys), to: { type: 'text', text: decodeReadline(macro) } }];
    return [{ sequence: decodeReadline(keys), to: { type: macro === undefined ? 'function' : 'command', name } }];
  });
  return { isVi: lines.includes('set editing-mode vi'), bindings };
}

/** The line before the commands of `bind -X`, which look like macros. */
export const COMMANDS_FOLLOW = '# commands';

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
