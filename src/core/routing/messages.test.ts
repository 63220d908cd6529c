import { expect, test } from 'bun:test';
import { answerRoute } from '../../../test/lab/route.ts';
import { formatRoute } from './messages.ts';

const ENV = {
  shell: 'bash',
  commands: ['git', 'make', 'ls', 'echo', 'sort', 'cat', 'wc', 'ssh', 'docker', 'yes', 'make love'],
  files: ['in'],
  branches: ['fix-links'],
  hosts: ['home'],
  containers: ['web-1'],
  history: ['!git tag new', '?git log first'],
  last_exit: 0,
} as const;

test.each([
  [':help', 'The line starts with `:`, so it goes to aish.'],
  ['!ls -la', 'The line starts with `!`, so it goes to your shell as `ls -la`.'],
  ['?ls', 'The line starts with `?`, so it goes to the model.'],
  ['git commit -m x', '`git` is a command and `-m` is an option, so the line goes to your shell. Start it with ? to ask the model.'],
  ['git merge fix-links', '`git` is a command and `fix-links` is a branch or tag of this repository, so the line goes to your shell.'],
  ['docker stop web-1', '`docker` is a command and the container `web-1` exists, so the line goes to your shell.'],
  ['ssh home uptime', '`ssh` is a command and ssh knows the host `home`, so the line goes to your shell.'],
  ['cat in', '`cat` is a command and the file `in` exists here, so the line goes to your shell.'],
  ['make love', '`make` is a command and `love` is a target, script or alias for it, so the line goes to your shell.'],
  ['git status', '`git` is a command and `status` is one of its subcommands, so the line goes to your shell.'],
  ['ls', '`ls` is a command, so the line goes to your shell.'],
  ['ls | wc', '`ls` is a command and `|` is an operator of the shell, so the line goes to your shell.'],
  ['sort > out', '`sort` is a command with a redirection to or from `out`, so the line goes to your shell.'],
  ['echo hello', '`echo` is a command that takes any words, so the line goes to your shell.'],
  ['cat header', '`cat` is a command, and the words after it can be its operands, so the line goes to your shell.'],
  ['ls *.ts', '`ls` is a command and `*.ts` is a pattern for file names, so the line goes to your shell.'],
  ['ls $HOME', '`ls` is a command and `$HOME` is a value that the shell fills in, so the line goes to your shell.'],
  ['ls >', '`ls` begins shell syntax, and your shell can say what is wrong with the rest, so the line goes to your shell.'],
  ['x=1', 'This is shell syntax, so the line goes to your shell.'],
  ['./run', '`./run` is a path, so the line goes to your shell.'],
  ['gti status', '`gti` looks like a typo of `git`, so the line goes to your shell.'],
  ['rg --hidden x', 'There is no command `rg` here, but the rest looks like operands, so the line goes to your shell.'],
  ['$ git status', '`git` is a command and `status` is one of its subcommands, so the line goes to your shell.'],
  ['git tag new', 'You ran `!git tag new` before, so the line goes to your shell.'],
  ['git tag latest', 'You ran `!git tag new` before, which starts with the same two words, so the line goes to your shell.'],
  ['git log first', 'You sent `?git log first` before, so the line goes to the model. Start it with ! to run it.'],
  ['git log second', '`git` is a command and `log` is one of its subcommands, so the line goes to your shell.'],
  ['git merge keeps failing', '`git` is a command, but `keeps` makes the line read like a sentence, so the line goes to the model.'],
  ['git merge older', '`git` is a command, but the rest may be a sentence. The command would change something, so aish asks you first.'],
  ['what is this', 'The line starts with no command, so it goes to the model.'],
  ['{"a": 1}', 'The text looks like data or settings, so it goes to the model.'],
  ['', 'An empty line goes nowhere.'],
])('%p: %s', (line, said) => expect(formatRoute(answerRoute({ line, env: ENV }))).toStartWith(said));
