import { expect, test } from 'bun:test';
import { printMessages } from '../../../../test/support/print-messages.ts';
import * as messages from './messages.ts';

test('every message', () => {
  const all = printMessages(messages, {
    formatOtherOwner: [['/w']],
    formatForeignTree: [['/srv']],
    formatForeignGit: [['/w/.git', '/srv/.git']],
    formatBrokenGit: [['/w/.git']],
    formatSpecial: [['/w/.git/HEAD']],
    formatTooManyFiles: [['/w', 20_000]],
    formatNoProject: [['/tmp']],
    formatAboveHome: [['/data']],
    formatSystem: [['/etc/nginx']],
    formatNoStore: [['~/.local/state/aish', 'the disk is full']],
    unavailable: [[messages.OUTSIDE]],
    unusable: [['/w/.git/aish', messages.NO_FOLDER]],
    outsideTree: [['../a', '/w']],
    privateFilesFailed: [['/s', 'the disk is full', null]],
  });
  expect(all).toMatchInlineSnapshot(`
    "
    this repository is bare, so it has no work tree
    aish makes no checkpoints of your home directory
    this directory is inside the data of a git repository
    the path of this repository contains a line break
    it is a file or a link, not a directory
    aish has no checkpoints from before this folder became a git repository
    it belongs to another user
    this directory is not in a git repository
    aish makes no checkpoints of aish's own files
    another program replaces it all the time
    git cannot read this repository
    aish makes no checkpoints of /data, because it contains your home directory
    git finds no repository here, because /w/.git is broken
    /w/.git points to the git data of another work tree, /srv/.git
    core.worktree of this repository points to /srv, which does not belong to it
    aish makes no checkpoints of /tmp, because it is not the folder of one project
    aish cannot save checkpoints in ~/.local/state/aish: the disk is full
    git does not trust this repository, because it belongs to another user; to trust it, run: git config --global --add safe.directory /w
    /w/.git/HEAD is a pipe or a device, and git would wait for it without end
    aish makes no checkpoints of /etc/nginx, because it belongs to the system
    /w contains more than 20,000 files, the limit for checkpoints outside a git repository ([checkpoint] max_files)
    ../a is outside the work tree /w
      name paths inside the work tree
    cannot save the private files of a checkpoint in /s: the disk is full
      make sure that the folder is writable and the disk is not full
    this directory is not in a git repository
      change to the folder of a project; in a large folder, run "git init" first
    aish cannot use /w/.git/aish: it is a file or a link, not a directory
      remove /w/.git/aish and try again
    "
  `);
});
