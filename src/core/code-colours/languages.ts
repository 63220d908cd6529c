import { CSS, DIFF, INI, JSON_DATA, MARKUP, SQL, TOML, YAML } from './data-grammars.ts';
import type { Grammar } from './grammar.ts';
import { C, C_SHARP, GO, JAVA, JAVASCRIPT, KOTLIN, LUA, PHP, PYTHON, RUBY, RUST, SWIFT } from './program-grammars.ts';
import { DOCKERFILE, MAKEFILE, SHELL } from './script-grammars.ts';

/** Grammars with the names that fences give them. */
const LANGUAGES: readonly (readonly [Grammar, string])[] = [
  [SHELL, 'sh bash zsh fish shell shellscript console shell-session terminal'],
  [JAVASCRIPT, 'js jsx ts tsx mjs cjs mts cts javascript typescript node'],
  [PYTHON, 'py python python3 py3 pyi ipython starlark bzl'],
  [JSON_DATA, 'json jsonc json5 jsonl ndjson'],
  [YAML, 'yaml yml'],
  [TOML, 'toml'],
  [INI, 'ini cfg conf config properties dotenv env systemd desktop gitconfig'],
  [GO, 'go golang'],
  [RUST, 'rust rs'],
  [C, 'c h cpp c++ cc cxx hpp cuda objc objective-c arduino glsl proto protobuf'],
  [JAVA, 'java scala groovy gradle dart'],
  [KOTLIN, 'kotlin kt kts'],
  [C_SHARP, 'csharp cs c#'],
  [SWIFT, 'swift'],
  [RUBY, 'ruby rb rake elixir ex exs crystal'],
  [PHP, 'php'],
  [LUA, 'lua'],
  [SQL, 'sql mysql postgres postgresql plpgsql sqlite psql tsql'],
  [MARKUP, 'html xml svg xhtml vue svelte htm'],
  [CSS, 'css scss sass less'],
  [DOCKERFILE, 'dockerfile docker containerfile'],
  [MAKEFILE, 'make makefile mk just justfile'],
  [DIFF, 'diff patch udiff'],
];

/** The grammar of a language by a name that a fence gives it; null for one that is not known. */
export function findGrammar(language: string): Grammar | null {
  const name = language.toLowerCase();
  return LANGUAGES.find(([, names]) => names.split(' ').includes(name))?.[0] ?? null;
}
