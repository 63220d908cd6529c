import { expect, test } from 'bun:test';
import { formatError } from '../../../protocol/error.ts';
import * as messages from './messages.ts';

test('the room reports these texts', () => {
  const errors = [
    messages.undoneTogether('c2', 'c1'),
    messages.notUndone('c2'),
    messages.prunedStep('c2', 'c1'),
    messages.nothingToRedo(new Set()),
    messages.nothingToRedo(new Set(['c2', 'c1'])),
    messages.nothingToUndo(new Set(), false),
    messages.nothingToUndo(new Set(), true),
    messages.nothingToUndo(new Set(['c2']), true),
  ];
  const copied = [messages.CHANGED_HERE, messages.NO_FILE, messages.formatLarge('target', '5.2 GB')];
  const all = [...Object.values(messages.REASONS), ...errors.map(formatError), ...copied];
  expect(all.join('\n')).toMatchInlineSnapshot(`
    "it changed since
    this step did not change it
    halted before this file was restored
    the file's content is missing in the repository
    a file is where its folder was; move it away first
    a folder with other files is in its place; move it away first
    you have no permission to write to its folder
    the disk is full
    the step never ended, so aish cannot tell its changes from later ones
    git ignored it before, so it may be older than the step
    it changed just after the step ended, so the change may be yours
    it is older than the step, and no checkpoint has its previous location
    its current version is too large, unreadable or not a regular file, so aish could not restore it later
    it was too large or unreadable when aish made the checkpoint
    it may be older than the step: there were too many new files to keep them all
    c2 was undone together with c1, which ran at the same time
      :redo c1 restores both
    nothing to redo: c2 was not undone
      :checkpoints shows the undone steps
    c2 undoes or redoes c1, which has been pruned
      :diff c2 shows its changes
    there is nothing to redo in this work tree
      :checkpoints shows the undone steps
    there is nothing to redo in this work tree
      none of the files of c2 and 1 more match (another branch?); :undo c2 tries that step again
    there is nothing to undo in this work tree
      :checkpoints lists the checkpoints; files that git ignores and very large ones are in no checkpoint
    there is nothing to undo in this work tree
      aish undo --apart uses the checkpoints made before this folder became a git repository
    there is nothing to undo in this work tree
      none of the files of c2 match (another branch?); :undo c2 tries that step again
    you changed it since the run began
    no snapshot can hold what is in its place
    target (5.2 GB)"
  `);
});
