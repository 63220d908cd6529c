import { find } from '../findings.ts';
import { type GivenWords, isGiven, means } from '../options.ts';
import type { Call, ProgramRule, RuleTable } from '../program.ts';
import type { Finding } from '../verdict.ts';

const SCRIPT_DENIED = /(deploy|publish|release|destroy|drop|clean|purge|nuke|migrate|seed|reset|prod)/i;

/** Options that make another project, another shell or other code run. */
const FOREIGN: readonly string[] = [
  'script-shell',
  'prefix',
  'C',
  'cwd',
  'dir',
  'node-options',
  'userconfig',
  'globalconfig',
  'shell',
  'preload',
  'r',
  'require',
  'config',
  'eval',
  'e',
  'import',
  'filter',
  'w',
  'workspace',
];

function judgeScript({ operands, options }: GivenWords, { scope }: Call, isNamed: boolean): readonly Finding[] {
  const bad = options.find(({ name }) => FOREIGN.some((one) => means(name, one)));
  if (bad !== undefined) return [find('runs', `the option ${bad.name}`)];
  const [script] = isNamed ? operands : [undefined];
  if (isNamed && script === undefined) return [find('task')];
  if (script !== undefined && (script.value === null || /[./]/.test(script.value)))
    return [find('runs', `the script ${script.text}`)];
  if (script !== undefined && SCRIPT_DENIED.test(script.start))
    return [find('runs', `the script ${script.text}, whose name says more than a build`)];
  return [scope.hasWritten ? find('runs', 'a task, after files were written') : find('task')];
}

const NAMED: ProgramRule = { any: true, judge: (given, call) => judgeScript(given, call, true) };
const TEST: ProgramRule = { any: true, judge: (given, call) => judgeScript(given, call, false) };

/** Package managers of languages. */
export const PACKAGES: RuleTable = {
  'npm pnpm yarn bun': {
    any: true,
    short: 'w:C:',
    long: 'workspace= prefix= dir= cwd= filter= script-shell= userconfig= globalconfig= loglevel=',
    on: { 'script-shell prefix C dir cwd userconfig globalconfig node-options': 'runs' },
    sub: {
      'run run-script': NAMED,
      'test t tst build': TEST,
      'ls list ll la why explain root bin prefix pkg-get help help-search version -v licenses': {
        any: true,
        judge: ({ operands }, { words }) =>
          words[0]?.value === 'version' && operands.length > 0 ? [find('changes', 'another version')] : [],
      },
      'outdated view info show search v ping whoami audit fund repo docs bugs profile team org access dist-tag star': {
        any: true,
        effect: 'network',
      },
      'install i ci add update up upgrade dedupe prune rebuild link import fetch create init dlx exec x global patch-package install-test it cit clean-install':
        { any: true, effect: 'network' },
      'uninstall remove rm un r': { any: true, effect: 'changes' },
      'publish unpublish deprecate adduser login logout token owner pack': { any: true, effect: 'destroys' },
      get: { any: true },
      'config c': { any: true, sub: { 'get list ls': { any: true } }, effect: 'plants' },
      set: { any: true, effect: 'plants' },
      cache: { any: true, effect: 'changes' },
      'start dev serve preview stop restart': { any: true, effect: 'runs' },
      pm: { any: true, sub: { 'ls bin hash cache': { any: true } }, effect: 'changes' },
    },
    effect: 'runs',
  },
  'npx bunx pnpx dlx uvx pipx yarnpkg': { any: true, judge: judgeRunner },
  'tsx ts-node deno nodemon esno swc babel webpack vite rollup esbuild parcel next nuxt astro gatsby remix ng expo storybook':
    { any: true, effect: 'runs' },
  'pip pip3 pipenv poetry uv conda mamba micromamba pdm hatch rye': {
    any: true,
    sub: {
      'list show freeze check help version inspect': { any: true, on: { 'o outdated u uptodate': 'network' } },
      'install download wheel add update upgrade sync lock search index self tool publish': {
        any: true,
        effect: 'network',
      },
      'uninstall remove cache': { any: true, effect: 'destroys' },
      config: { any: true, sub: { 'get list debug': { any: true } }, effect: 'plants' },
      'run shell exec': { any: true, effect: 'runs' },
    },
    effect: 'runs',
  },
  'gem bundle bundler composer cpan cpanm luarocks opam rustup nvm pyenv rbenv asdf mise volta fnm sdk ghcup corepack':
    {
      any: true,
      sub: {
        'list ls show info which check help version contents environment licenses current versions where': {
          any: true,
          on: { 'r remote b both o outdated': 'network' },
        },
        toolchain: { any: true, sub: { list: { any: true } }, effect: 'network' },
        outdated: { any: true, effect: 'network' },
        'install update upgrade add require fetch push exec': { any: true, effect: 'network' },
        'uninstall remove cleanup clean': { any: true, effect: 'destroys' },
      },
      effect: 'runs',
    },
  'apt apt-get aptitude dnf yum zypper apk pacman yay paru emerge xbps-install snap flatpak brew port nix nix-env nix-shell guix pkg rpm dpkg':
    { any: true, judge: judgeSystemPackages },
  'apt-mark apt-key add-apt-repository update-alternatives dpkg-reconfigure debconf-set-selections': {
    any: true,
    effect: 'privileged',
  },
};

const DECLARED: ReadonlySet<string> = new Set([
  'tsc',
  'eslint',
  'prettier',
  'jest',
  'vitest',
  'mocha',
  'biome',
  'stylelint',
  'oxlint',
]);

/** A tool of the project by name is that tool; anything else is fetched and started. */
function judgeRunner({ options }: GivenWords, call: Call): readonly Finding[] {
  const isForeign = isGiven({ options }, 'p', 'package', 'c', 'call', 'from', 'with', 'spec');
  const at = call.words.findIndex((word) => !word.start.startsWith('-'));
  const program = call.words[at];
  if (
    !isForeign &&
    program?.value !== null &&
    program !== undefined &&
    DECLARED.has(program.value) &&
    call.name !== 'uvx' &&
    call.name !== 'pipx'
  ) {
    call.judgeCommand(call.words.slice(at));
    return [];
  }
  return [find('remote code', `${call.name} fetches and starts ${program?.text ?? 'a package'}`)];
}

const QUERIES: Readonly<Record<string, RegExp>> = {
  apt: /^(list|show|search|policy|depends|rdepends|--installed)$/,
  'apt-get': /^check$/,
  dnf: /^(list|info|search|repolist|history|provides)$/,
  yum: /^(list|info|search|repolist|history|provides)$/,
  brew: /^(list|ls|info|deps|leaves|config|doctor|--prefix|--version|outdated|uses|cat|desc)$/,
  pacman: /^-Q[a-z]*$/,
  snap: /^(list|info|version)$/,
  flatpak: /^(list|info)$/,
  apk: /^(list|info|search)$/,
  zypper: /^(se|search|info|lr|repos)$/,
  rpm: /^-q[a-z]*$/,
  dpkg: /^(-l|-L|-s|-S|--list|--status|--listfiles|--search|--get-selections|--print-architecture)$/,
};

/** Options of queries that start something or set what is read. */
function isHarmless(words: Call['words']): boolean {
  return words.every(
    ({ value }) =>
      value !== null &&
      !/^--?(pipe|eval|E$|define|D$|load|rcfile|macros|o$|option|c$|config|root|dbpath|predefine|undefine)/.test(value),
  );
}

function judgeSystemPackages(_: GivenWords, { name, words }: Call): readonly Finding[] {
  const [first] = words;
  if (first?.value !== null && first !== undefined && QUERIES[name]?.test(first.value) === true && isHarmless(words))
    return [];
  const removes = words.some(
    ({ value }) =>
      value !== null && /^(remove|purge|autoremove|erase|uninstall|-R\w*|--remove|--purge|-e|del)$/.test(value),
  );
  return [
    removes ? find('destroys', 'packages of the system') : find('privileged', 'packages of the system'),
    find('privileged'),
  ];
}
