import { expect, test } from 'bun:test';
import type { AishError, ErrorFact } from '../../protocol/error.ts';
import * as messages from './messages.ts';

function toLine(message: string | AishError | ErrorFact): string {
  if (typeof message === 'string') return message;
  return message.hint === undefined ? message.message : `${message.message} (${message.hint})`;
}

test('what effects report', () => {
  const all = [
    messages.formatMissingServers(['notes']),
    messages.formatMissingServers(['notes', 'mail']),
    messages.CONTEXT_FULL_HINT,
    messages.formatSmallWindow('local', 4096),
    messages.nothingToFree('9,000', false),
    messages.nothingToFree('9,000', true),
    messages.COMPACTION_PAUSED,
    messages.formatNoSummary('local', 'the server failed'),
    messages.CHECKPOINTS_OFF,
    messages.formatDryRunLabel('make'),
    messages.noDryRun('TOKEN', 'no-rule'),
    messages.noDryRun('TOKEN', 'no-value'),
    messages.formatUngranted(['TOKEN', 'KEY']),
    messages.formatNotApplied('the disk is full'),
    messages.formatNotRun('the disk is full'),
    messages.formatUnavailable('the server is gone'),
    messages.formatEditedCommand('ls -a'),
    messages.formatNoEstimate('the worker ended'),
    messages.nothingToRestore('undo', ['src', 'test']),
    messages.NO_FILE,
    messages.A_FILE,
    messages.A_FOLDER,
    messages.NO_PLAIN_FILE,
    messages.formatLink('build'),
    messages.formatFileSize(1, '12 B', true),
    messages.formatFileSize(null, '2 kB', false),
    messages.formatNewSecrets(['TOKEN']),
    messages.formatSandboxBlocked('the sandbox has no network'),
    messages.formatSandboxBlocked(null),
  ];
  expect(all.map(toLine).join('\n')).toMatchInlineSnapshot(`
    "the MCP server notes is still starting, so the model cannot use its tools yet
    the MCP servers notes, mail are still starting, so the model cannot use their tools yet
    start a new session with :new, or use a model with a larger context; :context shows what fills this one
    local has a context of 4096 tokens, which fills up soon; 8192 or more work better (llama-server: -c 16384; Ollama: OLLAMA_CONTEXT_LENGTH=16384; vLLM: --max-model-len)
    its 9,000 tokens contain nothing to remove (:context shows what fills it)
    it would stay almost as long (9,000 tokens) (:context shows what fills it)
    two compactions freed too little, so aish waits until there is much more to remove; :compact tries again now, and :new starts a new session
    local wrote no summary: the server failed
    checkpoints are off
    before the dry run of make
    cannot start the dry run: no rule grants ⟨secret:TOKEN⟩ (run the command without a dry run, or edit it so that it names no secret)
    cannot start the dry run: aish cannot insert ⟨secret:TOKEN⟩ (run the command without a dry run, or edit it so that it names no secret)
    The dry run had no access to TOKEN, KEY: no rule grants it.
    [aish] the dry run was not applied: the disk is full
    [aish] not run: the disk is full
    [aish] tool unavailable: the server is gone
    [aish] the user changed the command to: ls -a
    the estimate failed (the worker ended)
    no step to undo changed src, test (:checkpoints lists the steps, and :diff ID shows what one of them changed)
    no file
    a file
    a folder
    not a regular file
    a link to build
    1 line, 12 B, executable
    2 kB
    the command would now get TOKEN
    the sandbox blocked the command (the sandbox has no network); if you allow it, it runs in your shell
    the sandbox blocked the command; if you allow it, it runs in your shell"
  `);
});
