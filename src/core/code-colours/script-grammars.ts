import { type Grammar, lineComment, longString, NUMBER } from './grammar.ts';

const SHELL_VARIABLE = String.raw`\$(?:\{[^}]*\}?|\w+|[?!@#*$-])`;

/** bash, zsh, fish, and what is shown of a terminal. */
export const SHELL: Grammar = {
  rules: [
    { look: 'comment', match: String.raw`(?:^|(?<=\s))#.*` },
    { look: 'comment', match: '^[$%❯>](?= )' },
    { look: 'string', match: String.raw`<<-?\s*(?:'[\w.-]+'|"[\w.-]+"|\\?[\w.-]+)`, document: true },
    { look: 'string', match: String.raw`\\.` },
    longString('"', { inner: SHELL_VARIABLE }),
    { look: 'string', match: "\\$?'", body: "[^']*", close: "'" },
    { look: 'variable', match: SHELL_VARIABLE },
    { look: 'variable', match: String.raw`(?:^|(?<=[\s;]))[A-Za-z_]\w*(?=\+?=)` },
    { look: 'type', match: String.raw`(?<=\s)--?[A-Za-z][\w-]*` },
    NUMBER,
  ],
  word: String.raw`[A-Za-z_./~][\w./~+-]*`,
  words: {
    keyword:
      'if then elif else fi for in do done while until select case esac function time coproc return exit break continue end begin and or not switch',
    function:
      'alias bg bind builtin cd command declare dirs disown echo env eval exec export fg getopts hash jobs kill let local logout mapfile popd printf pushd pwd read readonly set shift shopt source sudo test times trap type typeset ulimit umask unalias unset wait',
  },
};

/** How an image is built. */
export const DOCKERFILE: Grammar = {
  rules: [
    { look: 'comment', match: String.raw`^\s*#.*` },
    {
      look: 'keyword',
      match: String.raw`^\s*(?:FROM|RUN|CMD|LABEL|MAINTAINER|EXPOSE|ENV|ADD|COPY|ENTRYPOINT|VOLUME|USER|WORKDIR|ARG|ONBUILD|STOPSIGNAL|HEALTHCHECK|SHELL)\b`,
    },
    { look: 'keyword', match: String.raw`(?<=\s)AS(?=\s)` },
    longString('"', { inner: SHELL_VARIABLE }),
    { look: 'string', match: "'", body: "[^']*", close: "'" },
    { look: 'variable', match: SHELL_VARIABLE },
    { look: 'type', match: String.raw`(?<=\s)--?[A-Za-z][\w-]*` },
    NUMBER,
  ],
  word: String.raw`[A-Za-z_./~][\w./~+-]*`,
  ignoresCase: true,
};

/** Targets, variables and recipes. */
export const MAKEFILE: Grammar = {
  rules: [
    lineComment('#'),
    { look: 'variable', match: String.raw`\$(?:\([^()]*(?:\([^()]*\)[^()]*)*\)?|\{[^}]*\}?|[@<^*?%+$\w])` },
    { look: 'variable', match: String.raw`^(?:export\s+)?[\w.-]+(?=\s*[:?+!]{0,2}=)` },
    { look: 'function', match: String.raw`^[^\s:#=$][^:=#$]*(?=::?(?:[^=]|$))` },
    { look: 'string', match: String.raw`"(?:\\.|[^"\\])*"?` },
    { look: 'string', match: "'[^']*'?" },
  ],
  word: String.raw`[A-Za-z_.][\w.-]*`,
  words: { keyword: 'ifeq ifneq ifdef ifndef else endif include -include define endef export override .PHONY' },
};
