import { expect, test } from 'bun:test';
import { arrive, type Direction, type Directories, formatGoTo, lineTo, matchDirectories, NO_DIRECTORIES, visited } from './directories.ts';
import type { Glance } from './prompt-state.ts';
import { createPromptState } from './prompt-step.ts';
import { update } from './prompt-update.ts';

const start = ['/a', '/b', '/c'].reduce(arrive, NO_DIRECTORIES);

function go(directories: Directories, direction: Direction, cwd: string): Directories {
  return arrive({ ...directories, going: { direction, line: '' } }, cwd);
}

test('a prompt in another directory adds the last one to those behind it', () => {
  expect(start).toEqual({ here: '/c', back: ['/a', '/b'], forward: [], going: null });
  expect(arrive(start, '/c')).toEqual(start);
});

test('going back and forward keeps the way', () => {
  const back = go(start, 'back', '/b');
  expect([lineTo(start, 'back', undefined), back]).toEqual(['cd /b', { here: '/b', back: ['/a'], forward: ['/c'], going: null }]);
  expect(go(back, 'forward', '/c')).toEqual(start);
  expect(arrive(back, '/d')).toEqual({ here: '/d', back: ['/a', '/b'], forward: [], going: null });
});

test('a directory that is gone is forgotten', () => {
  expect(go(start, 'back', '/c')).toEqual({ here: '/c', back: ['/a'], forward: [], going: null });
});

test('a key enters a line only where an empty line is being read', () => {
  const state = { ...createPromptState(), directories: start };
  const glance = { running: 'nothing', waitsForSnapshot: false, text: '', wantsText: false } as const;
  const enter = (line: Glance['line']) => update(state, { type: 'go', direction: 'back', home: undefined, glance: { ...glance, line } });
  expect(enter('empty').effects).toEqual([{ type: 'enter-line', text: 'cd /b' }]);
  expect([...enter('text').effects, ...enter('unread').effects]).toEqual([]);
  const typed = update(enter('empty').state, { type: 'line-entered', text: 'cd /x' }).state;
  expect([enter('empty').state.directories.going?.direction, typed.directories.going]).toEqual(['back', null]);
});

test('a key never goes to where the shell is, though a line led elsewhere', () => {
  const ways = { here: '/c', back: ['/x', '/a', '/b'], forward: [], going: null };
  const back = arrive({ ...ways, going: { direction: 'back', line: 'cd /b' } }, '/a');
  expect(back).toEqual({ here: '/a', back: ['/x'], forward: ['/c'], going: null });
});

test('the list has each directory once, the one that was left last first', () => {
  expect(visited(['/a', '/b', '/a', '/c', '/b', '/d'].reduce(arrive, NO_DIRECTORIES))).toEqual(['/b', '/c', '/a']);
  expect(lineTo(NO_DIRECTORIES, 'back', undefined)).toBeNull();
});

test('a path is written so that a shell reads it', () => {
  expect(formatGoTo('/home/u', '/home/u')).toBe('cd ~');
  expect(formatGoTo("/home/u/it's mine", '/home/u')).toBe("cd ~/'it'\\''s mine'");
  expect(formatGoTo('/home/user', '/home/u')).toBe('cd /home/user');
});

test('words find directories in order, the last word in the last name', () => {
  const used = ['/src/aish/docs', '/src/aish', '/src/site/docs', '/src/docs-old/x'].map((path, weight) => ({ path, weight }));
  expect(matchDirectories(['docs'], used)).toEqual(['/src/site/docs', '/src/aish/docs']);
  expect(matchDirectories(['AISH', 'doc'], used)).toEqual(['/src/aish/docs']);
  expect(matchDirectories(['docs', 'aish'], used)).toEqual([]);
});
