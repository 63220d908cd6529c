import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** An ssh server on this machine's loopback, with keys of its own. */
export interface SshServer extends AsyncDisposable {
  /** Configuration for `ssh -F`, in which the host is called `there`. */
  readonly config: string;
}

/** The path of sshd; null if it cannot run. */
export function findSshd(): string | null {
  const places = ['/usr/sbin/sshd', '/usr/local/sbin/sshd'];
  return Bun.which('sshd') ?? places.find((place) => existsSync(place)) ?? null;
}

/** Starts sshd with a fresh host key, for the one key it makes, and settles when it listens. It runs a plain shell, or `command`. */
export async function startSshServer(folder: string, command = remoteShell(folder)): Promise<SshServer> {
  mkdirSync(folder, { mode: 0o700 });
  for (const name of ['host', 'user']) makeKey(join(folder, name));
  // As root sshd wants this folder, which a boot would have made.
  if (process.getuid?.() === 0) mkdirSync('/run/sshd', { recursive: true, mode: 0o755 });
  const port = freePort();
  writeFileSync(join(folder, 'sshd_config'), serverConfig(folder, port, command));
  writeFileSync(join(folder, 'config'), clientConfig(folder, port));
  const server = Bun.spawn([findSshd() ?? 'sshd', '-D', '-e', '-f', join(folder, 'sshd_config')], {
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'pipe',
  });
  await listening(server.stderr);
  return {
    config: join(folder, 'config'),
    async [Symbol.asyncDispose]() {
      server.kill();
      await server.exited;
    },
  };
}

function remoteShell(folder: string): string {
  return `exec env -i TERM=xterm-256color PATH=/usr/bin:/bin HOME=${folder} PS1='remote$ ' sh -i`;
}

/**
 * Writes a program that starts a shell in the two ways in which sshd starts somebody's login shell: alone, or with `-c` and what is to be
 * run, be it the server of scp. The answer is its path.
 */
export function writeLogin(folder: string, shell: string, env: Readonly<Record<string, string>>): string {
  const file = join(folder, 'login');
  const set = Object.entries({ ...env, SHELL: shell }).map(([name, value]) => `export ${name}='${value}'`);
  const call = `if [ -n "\${SSH_ORIGINAL_COMMAND-}" ]; then exec '${shell}' -c "$SSH_ORIGINAL_COMMAND"; fi\nexec '${shell}'`;
  writeFileSync(file, `#!/bin/sh\nunset SHLVL\n${set.join('\n')}\ncd "$HOME"\n${call}\n`, { mode: 0o755 });
  return file;
}

function findSftpServer(): string {
  const places = ['/usr/lib/openssh/sftp-server', '/usr/libexec/openssh/sftp-server', '/usr/libexec/sftp-server'];
  return places.find((place) => existsSync(place)) ?? 'internal-sftp';
}

function makeKey(file: string): void {
  const done = Bun.spawnSync(['ssh-keygen', '-q', '-t', 'ed25519', '-N', '', '-f', file]);
  if (done.exitCode !== 0) throw new Error(`ssh-keygen: ${done.stderr.toString()}`);
}

function freePort(): number {
  const listener = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } });
  const { port } = listener;
  listener.stop(true);
  return port;
}

function serverConfig(folder: string, port: number, command: string): string {
  return `ListenAddress 127.0.0.1
Port ${port}
HostKey ${folder}/host
AuthorizedKeysFile ${folder}/user.pub
PidFile none
StrictModes no
UsePAM no
PasswordAuthentication no
PermitRootLogin prohibit-password
Subsystem sftp ${findSftpServer()}
ForceCommand ${command}
`;
}

function clientConfig(folder: string, port: number): string {
  return `Host loopback
  HostName 127.0.0.1
  Port ${port}
  User ${userName()}
  IdentityFile ${folder}/user
  IdentitiesOnly yes
  UserKnownHostsFile ${folder}/known_hosts
  StrictHostKeyChecking accept-new
  LogLevel ERROR
`;
}

function userName(): string {
  return Bun.spawnSync(['id', '-un']).stdout.toString().trim();
}

async function listening(errors: ReadableStream<Uint8Array>): Promise<void> {
  let text = '';
  const reader = errors.getReader();
  while (!text.includes('Server listening')) {
    const { value, done } = await reader.read();
    if (done) throw new Error(`sshd did not start: ${text}`);
    text += new TextDecoder().decode(value);
  }
  reader.releaseLock();
  // Its later output has to go somewhere, or it would wait.
  void errors.pipeTo(new WritableStream());
}
