import { existsSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { FRAMEWORK_PACKAGES, packageFolder } from './framework-packages.ts';

/** A real framework, plugin or version manager that startup files load. */
export interface Framework {
  readonly name: string;
  readonly shell: 'bash' | 'zsh';
  /** A file of the real thing: where it is missing, the test is skipped. */
  readonly file: string;
  /** Whether `scripts/prepare-test` installs it, so that CI must have it. */
  readonly isInstalled: boolean;
  /** The startup file, as the manual of the framework says. */
  readonly rc: string;
  /** The complete prompt in the repository. */
  readonly prompt: RegExp;
  /** The part of a row that a process of the framework makes. On a busy machine its answer may be lost, in the bare shell too. */
  readonly unsure?: RegExp;
  /** A command whose output shows that the framework is loaded. */
  readonly loaded: readonly [line: string, output: RegExp];
}

type Shell = Framework['shell'];

const BOTH: readonly Shell[] = ['bash', 'zsh'];
const PLAIN = { bash: "PS1='\\u in \\w \\$ '\n", zsh: "PS1='%n in %~ %# '\n" } as const;
const PLAIN_PROMPT = /in ~\/repo/;
const IN_REPOSITORY = /main/;
const HOME = process.env.AISH_TEST_FRAMEWORKS ?? process.env.HOME ?? '/';

function lines(...texts: readonly string[]): string {
  return `${texts.join('\n')}\n`;
}

/** A program whose hook both shells evaluate. */
function hook(name: string, program: string, line: (shell: Shell) => string, output: RegExp): Framework[] {
  const isInstalled = ['/usr/bin/zoxide', '/usr/bin/direnv'].includes(program);
  return BOTH.map((shell) => ({
    name,
    shell,
    file: program,
    isInstalled,
    rc: `${PLAIN[shell]}eval "$(${line(shell)})"\n`,
    prompt: PLAIN_PROMPT,
    loaded: [shell === 'bash' ? 'declare -F; echo "$PROMPT_COMMAND"' : 'print -l ${(k)functions}', output],
  }));
}

/** A file that a startup file of zsh reads. */
function zshFile(name: string, file: string, rest: Partial<Framework>): Framework {
  return {
    name,
    shell: 'zsh',
    file,
    isInstalled: file.startsWith('/usr/share/'),
    rc: `. ${file}\n`,
    prompt: IN_REPOSITORY,
    loaded: ['print -l ${(k)functions}', new RegExp(name.replace(/.*-/, ''))],
    ...rest,
  };
}

const DEBIAN: readonly Framework[] = [
  ...BOTH.map(
    (shell): Framework => ({
      name: 'fzf key bindings',
      shell,
      file: `/usr/share/doc/fzf/examples/key-bindings.${shell}`,
      // Images of containers often leave all documentation out.
      isInstalled: false,
      rc: `${PLAIN[shell]}. /usr/share/doc/fzf/examples/key-bindings.${shell}\n`,
      prompt: PLAIN_PROMPT,
      loaded: [shell === 'bash' ? 'declare -F' : 'print -l ${(k)functions}', /fzf/],
    }),
  ),
  ...hook('zoxide', '/usr/bin/zoxide', (shell) => `zoxide init ${shell}`, /_zoxide_hook/),
  ...hook('direnv', '/usr/bin/direnv', (shell) => `direnv hook ${shell}`, /_direnv_hook/),
  ...BOTH.map(
    (shell): Framework => ({
      name: 'liquidprompt',
      shell,
      file: '/usr/share/liquidprompt/liquidprompt',
      isInstalled: true,
      rc: 'LP_ENABLE_LOAD=0 LP_ENABLE_TEMP=0 LP_ENABLE_BATT=0 LP_ENABLE_VCS_ROOT=1\n. /usr/share/liquidprompt/liquidprompt\n',
      prompt: IN_REPOSITORY,
      loaded: ['type lp_theme', /function/],
    }),
  ),
  zshFile('powerlevel9k', '/usr/share/powerlevel9k/powerlevel9k.zsh-theme', {
    rc: 'POWERLEVEL9K_RIGHT_PROMPT_ELEMENTS=(status root_indicator)\n. /usr/share/powerlevel9k/powerlevel9k.zsh-theme\n',
    loaded: ['type prompt_vcs', /function/],
  }),
  zshFile('zsh-syntax-highlighting', '/usr/share/zsh-syntax-highlighting/zsh-syntax-highlighting.zsh', {
    rc: `${PLAIN.zsh}. /usr/share/zsh-syntax-highlighting/zsh-syntax-highlighting.zsh\n`,
    prompt: PLAIN_PROMPT,
    loaded: ['type _zsh_highlight', /function/],
  }),
  zshFile('zsh-autosuggestions', '/usr/share/zsh-autosuggestions/zsh-autosuggestions.zsh', {
    rc: `${PLAIN.zsh}. /usr/share/zsh-autosuggestions/zsh-autosuggestions.zsh\n`,
    prompt: PLAIN_PROMPT,
    loaded: ['type _zsh_autosuggest_start', /function/],
  }),
];

const pure = packageFolder(FRAMEWORK_PACKAGES.pure);
const spaceship = packageFolder(FRAMEWORK_PACKAGES.spaceship);
const mise = join(packageFolder(FRAMEWORK_PACKAGES.mise), 'bin/mise');

const NPM: readonly Framework[] = [
  zshFile('pure', join(pure, 'pure.zsh'), {
    rc: lines('PURE_GIT_PULL=0', `fpath+=(${pure})`, 'autoload -Uz promptinit; promptinit', 'prompt pure'),
    unsure: /<> <242>main.*$/,
    loaded: ['type prompt_pure_precmd', /function/],
  }),
  zshFile('spaceship', join(spaceship, 'spaceship.zsh'), {
    // All 60 sections take seconds.
    rc: lines('SPACESHIP_PROMPT_ORDER=(user dir git async line_sep exit_code char)', `. ${spaceship}/spaceship.zsh`),
    // The dots stand for an answer that has not come.
    unsure: /<> <b>(?:on|…).*$/,
    loaded: ['type spaceship', /function/],
  }),
  ...hook('mise', mise, (shell) => `${mise} activate ${shell}`, /_mise_hook/),
];

/** No registry has these: they are tried where somebody has them in the home, or below AISH_TEST_FRAMEWORKS. */
const OWN: readonly Framework[] = [
  zshFile('oh-my-zsh', join(HOME, '.oh-my-zsh/oh-my-zsh.sh'), {
    rc: lines(
      `ZSH=${HOME}/.oh-my-zsh ZSH_THEME=robbyrussell ZSH_DISABLE_COMPFIX=true`,
      "zstyle ':omz:update' mode disabled",
      'plugins=(git)',
      '. $ZSH/oh-my-zsh.sh',
    ),
    unsure: /(?:<>)? <[^ ]*git:.*$/,
    loaded: ['type omz', /function/],
  }),
  zshFile('prezto', join(HOME, '.zprezto/init.zsh'), {
    rc: lines(
      `ZPREZTODIR=${HOME}/.zprezto`,
      "zstyle ':prezto:load' pmodule environment terminal editor git prompt",
      "zstyle ':prezto:module:prompt' theme sorin",
      '. $ZPREZTODIR/init.zsh',
    ),
    unsure: /(?:<>)? <[^ ]*git:.*$/,
    loaded: ['type prompt_sorin_setup', /function/],
  }),
  zshFile('powerlevel10k', join(HOME, 'powerlevel10k/powerlevel10k.zsh-theme'), {
    rc: lines(
      'POWERLEVEL9K_DISABLE_CONFIGURATION_WIZARD=true POWERLEVEL9K_DISABLE_GITSTATUS=true',
      'POWERLEVEL9K_RIGHT_PROMPT_ELEMENTS=(status root_indicator)',
      `. ${HOME}/powerlevel10k/powerlevel10k.zsh-theme`,
    ),
    loaded: ['type p10k', /function/],
  }),
  ...hook('starship', Bun.which('starship') ?? 'starship', (shell) => `starship init ${shell}`, /starship/),
  ...hook(
    'pyenv',
    join(HOME, '.pyenv/bin/pyenv'),
    (shell) => `${HOME}/.pyenv/bin/pyenv init - --no-rehash ${shell}`,
    /pyenv/,
  ),
  ...hook('conda', Bun.which('conda') ?? 'conda', (shell) => `conda shell.${shell} hook`, /conda/),
  ...hook('nvm', join(HOME, '.nvm/nvm.sh'), () => `cat ${HOME}/.nvm/nvm.sh`, /nvm_/),
  ...hook('asdf', Bun.which('asdf') ?? 'asdf', (shell) => `asdf completion ${shell}`, /asdf/),
];

/** All frameworks that the tests know, installed or not. */
export const FRAMEWORKS: readonly Framework[] = [...DEBIAN, ...NPM, ...OWN];

/** Tells whether the real thing is there; on CI what `scripts/prepare-test` installs must be. */
export function isMissing({ name, shell, file, isInstalled }: Framework): boolean {
  if (existsSync(file)) return false;
  const mustBeThere = process.env.CI === 'true' && process.getuid?.() === 0 && existsSync('/etc/debian_version');
  if (isInstalled && mustBeThere) throw new Error(`${name} is missing on CI: add it to scripts/prepare-test`);
  writeSync(2, `skipped for lack of ${name} (${shell}): no ${file}\n`);
  return true;
}
