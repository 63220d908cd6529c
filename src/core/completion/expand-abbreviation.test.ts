import { expect, test } from 'bun:test';
import { expandAbbreviation } from './expand-abbreviation.ts';

/** The line after a blank or Enter at `^`, which marks the cursor there too; null where it stays. */
function expanded(marked: string): string | null {
  const abbreviations = new Map([['gco', 'git checkout']]);
  const found = expandAbbreviation({ text: marked.replace('^', ''), cursor: marked.indexOf('^') }, (word) => abbreviations.get(word));
  return found === null ? null : `${found.text.slice(0, found.cursor)}^${found.text.slice(found.cursor)}`;
}

test('an abbreviation is expanded in the place of a command', () => {
  expect(expanded('gco^')).toBe('git checkout^');
  expect(expanded('!gco^ main')).toBe('!git checkout^ main');
  expect(expanded('ls; sudo gco^')).toBe('ls; sudo git checkout^');
  expect(expanded('if gco^; then')).toBe('if git checkout^; then');
});

test('it stays where it is an operand, part of a word or a text', () => {
  for (const line of ['echo gco^', 'gco^x', 'xgco^', './gco^', 'gco ^', "echo '; gco^", ':abbr gco^', '? gco^', 'a=gco^']) {
    expect([line, expanded(line)]).toEqual([line, null]);
  }
});
