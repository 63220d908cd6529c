import type { Argument } from './argument.ts';
import { find } from './findings.ts';
import { mayMatch } from './glob.ts';
import { judgeHanded } from './handed-command.ts';
import { readOptions } from './options.ts';
import { locate } from './place.ts';
import { applyRule, type Call, type ProgramRule, spread } from './program.ts';
import { BUILTINS } from './programs/builtins.ts';
import { CLOUD } from './programs/cloud.ts';
import { CONTAINERS } from './programs/containers.ts';
import { DATABASES } from './programs/databases.ts';
import { DEVELOPMENT } from './programs/development.ts';
import { EDITORS } from './programs/editors.ts';
import { FILES } from './programs/files.ts';
import { FIND } from './programs/find.ts';
import { GIT } from './programs/git.ts';
import { INTERPRETERS } from './programs/interpreters.ts';
import { MEDIA } from './programs/media.ts';
import { NETWORK } from './programs/network.ts';
import { PACKAGES } from './programs/packages.ts';
import { READERS } from './programs/readers.ts';
import { SHELLS } from './programs/shells.ts';
import { SYSTEM } from './programs/system.ts';
import { TEXT_TOOLS } from './programs/text-tools.ts';
import { TRACERS } from './programs/tracers.ts';
import { WRAPPERS } from './programs/wrappers.ts';
import { protectSelf } from './self-protection.ts';
import type { Finding } from './verdict.ts';

const PROGRAMS: ReadonlyMap<string, ProgramRule> = new Map(
  [
    READERS,
    TEXT_TOOLS,
    MEDIA,
    FIND,
    FILES,
    EDITORS,
    GIT,
    DEVELOPMENT,
    PACKAGES,
    INTERPRETERS,
    NETWORK,
    CONTAINERS,
    CLOUD,
    DATABASES,
    SYSTEM,
    WRAPPERS,
    TRACERS,
    SHELLS,
    BUILTINS,
  ].flatMap((table) => [...spread(table)]),
);

/** Programs of which nothing else is known than that they say their version. */
const KNOWN: ReadonlySet<string> = new Set(
  'nginx httpd apache2 ant hugo zig nim crystal dart flutter swift kotlin gfortran rustup-init protoc buf jekyll pandoc latex pdflatex xelatex tectonic convert magick inkscape gimp blender vlc mpv handbrake tesseract gnuplot octave ollama dockerd containerd runc buildah skopeo vault etcd prometheus grafana-server haproxy caddy traefik envoy postgres redis-server rabbitmq-server java javac kotlinc scala clojure groovy ghcup deno bun fzf delta starship zoxide direnv ctags cscope doxygen sphinx-build mkdocs graphviz dot plantuml sass less postcss tailwindcss webpack vite rollup esbuild turbo nx lerna'.split(
    ' ',
  ),
);

const SYSTEM_PATH = /^\/(usr\/(local\/)?)?s?bin\/([^/]+)$/;

/** True for a name that programs, builtins or wrappers of the tables have. */
export function isProgram(name: string): boolean {
  return PROGRAMS.has(name);
}

/** What the tables say of a program; undefined for one they do not have. */
export function programRule(name: string): ProgramRule | undefined {
  return PROGRAMS.get(name);
}

/** Judges a call of a program by the tables, and by what it would do to us. */
export function judgeProgram(call: Call, program: Argument): readonly Finding[] {
  const found = judgeByTables(call, program);
  judgeHanded(call, found);
  return [...found, ...judgeFetchedWord(call, found), ...judgeSentInput(call, found), ...protectSelf(call, found)];
}

/** Clients that sign in: a password on their input is for the service that gave it. */
const SIGN_IN = /^(?:docker|podman|nerdctl|buildah|skopeo|crane|oras|regctl|helm|gh|glab|hub|az|oc|cf|argocd)$/;

/** Credentials that are handed to what opens a connection go out with it, unless that is to sign in. */
function judgeSentInput({ name, words, input }: Call, found: readonly Finding[]): readonly Finding[] {
  if (SIGN_IN.test(name) && words.slice(0, 2).some(({ value }) => value === 'login')) return [];
  const connects = found.some((one) => one.class === 'network');
  const isSaid = found.some(({ floor }) => floor === 'D4');
  return input.isSecret && connects && !isSaid ? [find('leaks', 'credentials')] : [];
}

const RUNS = find('runs').reason;

/** `make -f <(curl …)`: what runs code and is handed what another program fetches. */
function judgeFetchedWord({ words }: Call, found: readonly Finding[]): readonly Finding[] {
  const word = words.find(({ text }) => /^(?:-\S*)?<\([^)]*\b(?:curl|wget|fetch|nc|ncat)\b/.test(text));
  return word !== undefined && found.some(({ reason }) => reason.startsWith(RUNS))
    ? [find('remote code', word.text)]
    : [];
}

/** What no table has runs code that nobody has judged. */
function judgeByTables(call: Call, program: Argument): readonly Finding[] {
  if (program.isGlob) return judgePattern(call, program);
  if (call.name.includes('/')) return judgePath(call);
  const rule = PROGRAMS.get(call.name);
  if (isQuestionAboutItself(call) && (rule !== undefined || KNOWN.has(call.name))) return [];
  if (rule === undefined) return [find('runs', `${call.name} is not known`), ...leaks(call)];
  const found = applyRule(rule, call);
  return [...found, ...elsewhere(found, call), ...leaks(call)];
}

const TASK = find('task').reason;
const ADDS = find('adds').reason;

/** Tasks and git's own books belong to the project only where the line stands in it. */
function elsewhere(found: readonly Finding[], { scope }: Call): readonly Finding[] {
  const zone = scope.cwd === null ? 'unknown' : locate(scope.cwd, null, scope.ground).zone;
  if (zone === 'project') return [];
  const isStranger = found.some(({ reason }) => reason === TASK || (reason === ADDS && zone !== 'temporary'));
  return isStranger ? [find('runs', 'in another place than the project')] : [];
}

const MOST_MATCHES = 12;

/** A pattern for a program hides which: it is refused where one that it fits does harm, or where it fits whatever there is. */
function judgePattern(call: Call, program: Argument): readonly Finding[] {
  const unclear = find('unclear', `the command ${program.text}`);
  const pattern = call.name.slice(call.name.lastIndexOf('/') + 1);
  const names = [...PROGRAMS.keys()].filter((name) => mayMatch(pattern, name));
  const fits = names.slice(0, MOST_MATCHES).flatMap((name) => {
    const rule = PROGRAMS.get(name);
    return rule === undefined ? [] : applyRule(rule, { ...call, name });
  });
  const isHidden = names.length > MOST_MATCHES || fits.some((one) => one.class === 'destructive');
  return isHidden ? [find('hides', `a program behind the pattern ${program.text}`), ...fits] : [unclear];
}

/** A program by its place: those of the system are known by name, any other is code that the line does not show. */
function judgePath(call: Call): readonly Finding[] {
  const name = SYSTEM_PATH.exec(call.name)?.[3];
  const rule = name === undefined ? undefined : PROGRAMS.get(name);
  if (/\/ld(-[\w.-]+)?\.so(\.\d+)*$/.test(call.name)) {
    call.judgeCommand(call.words.filter(({ start }) => !start.startsWith('--')));
    return [find('hides', 'a program that its loader starts')];
  }
  if (name === undefined || rule === undefined) return [find('runs', call.name)];
  const found = applyRule(rule, { ...call, name });
  return [...found, ...elsewhere(found, call), ...leaks(call)];
}

/** A program that is asked for nothing but its version or its help says it and ends. */
function isQuestionAboutItself({ name, words }: Call): boolean {
  const [only, ...more] = words;
  if (more.length === 1 && words.some(({ value }) => value === '--version'))
    return words.every(({ value }) => /^(--version|--verbose|-v+)$/.test(value ?? ''));
  if (more.length > 0 || only?.value === null || only === undefined) return false;
  return (
    only.value === '--version' || only.value === '--help' || VERSIONS[only.value]?.split(' ').includes(name) === true
  );
}

/** Who says its version, and no more, for which word. */
const VERSIONS: Readonly<Record<string, string>> = {
  '-V': 'ssh curl wget python python3 psql mysql mariadb sqlite3 tmux perl make rsync scp zip nano lua pip pip3 redis-cli cargo rustc rustup go gdb less man bat rg fd jq tar sed sqlite3',
  '-v': 'node nodejs npm pnpm yarn bun ruby perl php lua docker redis-server gcc g++ cc clang nginx unzip zip zsh httpd apache2 Xorg ld java',
  '-version': 'java javac ffmpeg ffprobe scala kotlinc ant mvn openssl identify',
  version:
    'go kubectl helm docker podman kind minikube k3d kustomize skaffold kubeadm gcloud az doctl fly flyctl pulumi eksctl cdk terraform tofu packer vault consul nomad hugo openssl git gh npm cargo zig',
  '--versions': 'node',
  '-vV': 'rustc cargo',
};

/** A credential among the words of whatever program. */
function leaks({ words, name }: Call): readonly Finding[] {
  if (name === 'test' || name === '[' || name === ':') return [];
  const secret = words.find((word) => word.isSecret);
  return secret === undefined ? [] : [find('secrets', secret.text)];
}

/** The words of a call that are no options of the program itself: `git -C there push` is `push`. */
export function globalOperands(name: string, words: readonly Argument[]): readonly (string | null)[] {
  const rule = PROGRAMS.get(name);
  if (rule === undefined) return [];
  return readOptions(words, rule.sub === undefined ? rule : { ...rule, stops: true }).operands.map(
    (word) => word.value,
  );
}
