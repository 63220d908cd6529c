import { expect, test } from 'bun:test';
import { printMessages } from '../../../../test/support/print-messages.ts';
import * as messages from './messages.ts';

test('every message', () => {
  const all = printMessages(messages, {
    formatIgnored: [['this file']],
    formatLeftOut: [['node_modules/a']],
    formatOutside: [['/srv/a', '/w']],
    formatTooMany: [
      ['30,000', '20,000 files or 200 MB', true],
      ['30,000', '20,000 files or 200 MB', false],
    ],
    formatShared: [
      ['c2', true],
      ['c2', false],
    ],
    cannotCommit: [
      ['no secret key', true],
      ['a hook failed', false],
    ],
    cannotStage: [['a filter failed']],
    cannotSave: [['unable to lock', '/w/.git']],
    linkInTheWay: [['/w/.git/refs/aish']],
    cannotRemove: [['unable to lock', '/w/.git']],
    cannotList: [['/w/.git/aish/recent', 'the disk is full', null]],
    permissionsGone: [[]],
    noCheckpoints: [[]],
    unknownCheckpoint: [['c9', ['c2', 'c1']]],
  });
  expect(all).toMatchInlineSnapshot(`
    "
    a parent directory is now a symbolic link
    the path is inside git's own data
    the file is too large for a checkpoint (over 10 MB)
    because it may contain a secret and git does not track it
    a file system is mounted in its place; unmount it first
    the path is inside another repository
    because another version is staged
    the path leaves the work tree
    cannot sign the commit before the change: no secret key
      unlock the signing key, set commit.gpgSign to false for this repository, or set [checkpoint] mode = "ref"
    cannot commit before the change: a hook failed
      commit yourself, or set [checkpoint] mode = "ref"
    cannot save the list of changed files in /w/.git/aish/recent: the disk is full
      make sure that the file is writable and the disk is not full
    cannot delete checkpoints: unable to lock
      make sure that /w/.git is writable and the disk is not full; aish deleted none of them
    cannot save the checkpoint: unable to lock
      make sure that /w/.git is writable and has no old .lock files under refs/aish
    cannot stage the changes before the commit: a filter failed
      commit yourself, or set [checkpoint] mode = "ref", which stages nothing and runs no filters
    git ignores this file, so no checkpoint holds it
    no checkpoint outside a git repository holds node_modules/a
    /srv/a is outside the work tree /w
    c2, which ran at the same time, changed it as well
    c2, which ran at the same time, may have changed it
    no checkpoint holds the 30,000 untracked files here, because a checkpoint takes at most 20,000 files or 200 MB; add them to .gitignore or to git
    no checkpoint holds the 30,000 files here, because a checkpoint takes at most 20,000 files or 200 MB; list files that need none in .gitignore
    /w/.git/refs/aish is a symbolic link, so git would write the checkpoint to its target
      check its target, then remove the link: rm /w/.git/refs/aish
    there is no checkpoint in this work tree yet
    the file permissions of an earlier snapshot are missing
    there is no checkpoint "c9" in this work tree
      the newest are c2, c1; :checkpoints lists all
    "
  `);
});
