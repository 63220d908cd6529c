import type { CommandClass } from '../commands/verdict.ts';

/** The effects that untrusted content must not cause, as the end of "the model has read untrusted content, and this". */
export const CLASS_REACH: Readonly<Record<CommandClass, string>> = {
  'read-only': 'reads files',
  mutating: 'changes files',
  network: 'opens a connection',
  privileged: 'needs more rights than you have',
  destructive: 'deletes or overwrites files',
  unparseable: 'runs something that aish cannot read',
};
export const RUNS_HIDDEN_CODE = 'runs code that is not visible in the command';
export const formatGetsSecrets = (names: readonly string[]) =>
  `gets ${names.length === 1 ? 'the secret' : 'the secrets'} ${names.join(', ')}`;
export const formatOutside = (path: string) => `uses ${path}, which is outside the project`;
export const formatRunsLater = (path: string) => `changes ${path}, which runs later`;
export const formatChangesLater = (command: string) => `changes what later commands do (${command})`;
export const formatRunsChanged = (path: string) => `runs code of the project, and ${path} changed since then`;
export const formatSendsTo = (server: string) => `sends data to the server ${server}`;
