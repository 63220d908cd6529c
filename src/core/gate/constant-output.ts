import type { Command, ParsedScript, Redirection } from '../shell-syntax/syntax.ts';
import type { Argument } from './argument.ts';
import { decodeBase64, decodeHex, formatPrintf, reverseLines, translate, unescapeEcho } from './decode.ts';
import { expandSingle, expandWord, knownText } from './expand.ts';
import type { Scope } from './scope.ts';

/** What a script prints, where the text alone tells: a careful reader works out `$(echo cm0K | base64 -d)`, and so does the gate. */
export function outputOf(script: ParsedScript, scope: Scope): string | null {
  if (script.errors !== undefined || script.commands.length !== 1 || scope.depth > 20) return null;
  const command = script.commands[0]?.command;
  if (command?.type === 'Command') return commandOutput(command, null, scope);
  if (command?.type !== 'Pipeline') return null;
  let text: string | null = null;
  for (const [at, one] of command.commands.entries()) {
    if (one.type !== 'Command') return null;
    text = commandOutput(one, at === 0 ? null : text, scope);
    if (text === null) return null;
  }
  return text;
}

/** What a command prints given its standard input; null where it is not known. */
export function commandOutput(command: Command, piped: string | null, scope: Scope): string | null {
  if (command.name === undefined || command.prefix.length > 0) return null;
  const words = command.args.map((word) => (word.type === 'Word' ? expandWord(word, scope) : null));
  if (words.includes(null)) return null;
  const values = words.flatMap((list) => list ?? []).map((argument: Argument) => argument.value);
  const known = values.flatMap((value) => (value === null ? [] : [value]));
  const name = expandSingle(command.name, scope).value;
  if (name === null || known.length !== values.length) return null;
  const input = command.redirects.length === 0 ? piped : inputOf(command.redirects, scope);
  return run(name.slice(name.lastIndexOf('/') + 1), known, input);
}

/** The text of a here-string or here-document; null for none, for several, and for what is not known. */
export function inputOf(redirects: readonly Redirection[], scope: Scope): string | null {
  const [redirect, ...more] = redirects.filter(
    (one) => one.type !== 'Redirect' || !['>&', '<&'].includes(one.operator),
  );
  if (redirect === undefined || more.length > 0) return null;
  if (redirect.type === 'HereString') {
    const value = redirect.target === undefined ? null : expandSingle(redirect.target, scope).value;
    return value === null ? null : `${value}\n`;
  }
  if (redirect.type !== 'HereDoc') return null;
  const { delimiter, body } = redirect;
  if (delimiter?.quoted === true || body.parts === undefined) return body.text;
  return knownText(body.parts, scope);
}

function run(name: string, words: readonly string[], input: string | null): string | null {
  switch (name) {
    case 'echo':
      return echo(words);
    case 'printf':
      return words[0] === undefined || words[0].startsWith('-') ? null : formatPrintf(words[0], words.slice(1));
    default:
      return input === null ? null : filter(name, words, input);
  }
}

function echo(words: readonly string[]): string | null {
  const options = /^-[neE]+$/;
  const flags = words.slice(
    0,
    words.findIndex((word) => !options.test(word)) === -1
      ? words.length
      : words.findIndex((word) => !options.test(word)),
  );
  const text = words.slice(flags.length).join(' ');
  const shown = flags.some((flag) => flag.includes('e')) ? unescapeEcho(text) : text;
  return flags.some((flag) => flag.includes('n')) ? shown : `${shown}\n`;
}

function filter(name: string, words: readonly string[], input: string): string | null {
  const line = [name, ...words].join(' ');
  if (line === 'cat' || line === 'cat -') return input;
  if (line === 'rev') return reverseLines(input);
  if (/^(base64|openssl (enc )?-?base64) (-d|-D|--decode|-di|-d -A|-A -d)( -i)?$/.test(line))
    return decodeBase64(input);
  if (/^basenc --base64 (-d|--decode)$/.test(line)) return decodeBase64(input);
  if (/^xxd -r ?-?p$|^xxd -(rp|pr|p -r|ps -r|r -ps)$/.test(line)) return decodeHex(input);
  if (name === 'tr' && words.length === 2) return translate(words[0] ?? '', words[1] ?? '', input);
  if (name === 'tr' && words.length === 2 && words[0] === '-d') return null;
  return null;
}
