import { find } from './findings.ts';
import { looksLikeCommand } from './looks-like-command.ts';
import type { Call } from './program.ts';
import type { Finding } from './verdict.ts';

/** Options of programs that nobody knows better, by which a command is handed to them as a text. */
const HANDS = /^(-[cCex]|--?(command|cmd|exec|execute|run|shell|hook|script))$/;
const ATTACHED = /^--?(?:command|cmd|exec|execute|run|shell|hook)=(.+)$/s;

/** Programs that run a command in the surroundings of a project, a machine or a secret: behind a verb of theirs. */
const RUNNERS: ReadonlySet<string> = new Set(
  'npm pnpm yarn bundle poetry uv pipenv conda mamba micromamba mise asdf rtx rye hatch pdm dotenv doppler op aws-vault chamber teller infisical direnv devbox flox pixi vagrant lxc incus multipass heroku fly flyctl railway limactl distrobox toolbox flatpak-spawn host-spawn nix guix rbenv pyenv nvm fnm volta rustup opam adb ansible salt pdsh pssh parallel-ssh clush concurrently tmux screen xterm gnome-terminal konsole kitty alacritty wezterm dtach abduco zellij run-one keychain'.split(
    ' ',
  ),
);
/** A name that both subcommands and programs have says nothing. */
const COMMON =
  /^(install|git|at|find|tar|zip|cp|mv|ln|cat|echo|exec|env|command|touch|kill|cd|node|npm|php|aws|docker)$/;

const RUNS = [find('runs').reason, find('network').reason, find('privileged').reason, find('secrets').reason];

/**
 * Judges a command that a program is handed, where the program itself is only known to run something: behind two dashes, behind
 * an option that says so, or behind the verb of a runner. What is no command is passed over, for the program was asked about anyway.
 */
export function judgeHanded(call: Call, found: readonly Finding[]): void {
  const { words, name } = call;
  const isRunner = RUNNERS.has(name) && found.some(({ decision }) => decision !== 'allow');
  if (!isRunner && !found.some(({ reason }) => RUNS.some((one) => reason.startsWith(one)))) return;
  for (const [at, { value }] of words.entries()) {
    const before = words[at - 1]?.value ?? '';
    const attached = ATTACHED.exec(value ?? '')?.[1];
    if (looksLikeCommand(attached)) call.judgeScript(attached ?? '');
    if (value === null || !looksLikeCommand(value)) continue;
    const isText = /\s/.test(value);
    if (isText && (HANDS.test(before) || isRunner)) call.judgeScript(value);
    // The shell of a transfer has its own words within the one behind its option.
    if (name === 'rsync' && before === '-e' && !isText) continue;
    const isHanded = before === '--' || (HANDS.test(before) && !before.startsWith('-C')) || (isRunner && at > 0);
    if (!isText && isHanded && !(isRunner && before !== '--' && COMMON.test(value))) {
      call.judgeCommand(words.slice(at));
      return;
    }
  }
}
