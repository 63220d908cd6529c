import { expect, test } from 'bun:test';
import { findOpenPart } from './open-line.ts';

test.each([
  ['ls -la', null],
  ['echo "a b" \'c\' d\\ e', null],
  ['echo "a', 'quote'],
  ["echo 'it", 'quote'],
  ['echo `date', 'quote'],
  ['echo a \\', 'backslash'],
  ['ls |', 'operator'],
  ['true &&', 'operator'],
  ['true && ls', null],
  ['sleep 1 &', null],
  ['if true; then', 'block'],
  ['if true; then ls; fi', null],
  ['for f in *; do echo $f; done', null],
  ['for f in *; do', 'block'],
  ['while read l; do echo $l; done < f', null],
  ['f() { ls; }', null],
  ['f() {', 'block'],
  ['(cd /; ls', 'block'],
  ['echo $(ls', 'block'],
  ['echo $(ls) ${x:-y}', null],
  ['cat <<EOF', 'here-document'],
  ['cat <<EOF\na\nEOF', null],
  ['cat <<-"E F"\na\n\tE F', null],
  ['cat <<< word', null],
  ['echo if then do', null],
  ['echo # "not open', null],
  ['case $x in', 'block'],
  ['case $x in a) ls;; esac', null],
  ['', null],
])('%j waits for %p', (text, open) => {
  expect(findOpenPart(text)).toBe(open as null);
});
