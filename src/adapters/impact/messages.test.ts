import { expect, test } from 'bun:test';
import { FAULTS, NOTES, UNKNOWN } from './messages.ts';

test('a preview notes these texts', () => {
  const notes = Object.values(NOTES).map((format) => format('src', 'old'));
  for (const isVague of [false, true])
    notes.push(...Object.values(FAULTS).map((format) => format({ isVague, hasMaybe: false }, 'src')));
  expect(notes.join('\n')).toMatchInlineSnapshot(`
    "src does not exist, so this would fail
    src does not exist yet
    source and target are the same file, src, so this would fail
    a file name is empty, so this would fail
    git clean needs -f here, so this would fail
    rm refuses to delete src
    cp skips the folder src
    src exists, and mv leaves it as it is
    src cannot be moved to old
    writes to the device src
    src has hard links, and the content of all of them changes
    src is a mount point: its content would be deleted, the mount point would stay
    git did not report which of these files undo can restore
    src is a folder, so this would fail
    src is a file, so this would fail
    src is not a folder, so this would fail
    src is not empty, so this would fail
    src already exists, so this would fail
    src matches nothing, so this would fail
    git has no branch src, so this would fail
    git finds no such revision or path, so this would fail
    src is a folder, so this may fail
    src is a file, so this may fail
    src is not a folder, so this may fail
    src is not empty, so this may fail
    src already exists, so this may fail
    src matches nothing, so this may fail
    git has no branch src, so this may fail
    git finds no such revision or path, so this may fail"
  `);
});

test('a preview names these unknown effects', () => {
  const { tool, notCounted, ...rest } = UNKNOWN;
  const unknown = [
    ...Object.values(rest).map((format) => format('src')),
    tool('fs.write', '', false),
    tool('fs.write', 'src', true),
    notCounted(false),
    notCounted(true),
  ];
  expect(unknown.join('\n')).toMatchInlineSnapshot(`
    "src (unknown value)
    src (unknown working directory)
    src (matches at any depth)
    src (there was no time to expand it)
    src (may match files that the line creates)
    src (matches names that begin with "-")
    src (unquoted, and matches names that contain spaces)
    src (xargs reads it as several names)
    src (may be several targets)
    the result of writing to src
    the size of a copy of src into itself
    the content of src (unreadable)
    what find finds (this system has none)
    what find finds (src)
    find after the commands before it
    the rest of what find finds (there was no time to search all folders)
    the rest of this long line
    perhaps more changes (the estimate was cut off)
    the folder that cd goes to (CDPATH is set)
    the directory that the line runs in (src does not exist)
    git src (aish cannot tell whether there is a repository)
    git src after the commands before it
    the files that git src changes (git did not report them)
    the repository's post-checkout hook
    src, deleted by git clean
    the host that git connects to
    fs.write
    fs.write on src and more
    its changes (there was no time to count them)
    further changes (there was no time to count them)"
  `);
});
