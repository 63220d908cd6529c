import { expect, test } from 'bun:test';
import type { RestorePrompt } from '../../protocol/checkpoint.ts';
import { redactEvent } from '../secrets/redact-event.ts';

const cover = {
  text: (text: string) => text.replaceAll('zebra', '⟨secret:Z⟩').replaceAll('shape', '⟨shape⟩'),
  known: (text: string) => text.replaceAll('zebra', '⟨secret:Z⟩'),
};

const question: RestorePrompt = {
  checkpoint: 'c1',
  direction: 'undo',
  label: 'before $ login zebra',
  at: 0,
  free: 0,
  conflicts: [
    {
      key: 'zebra',
      path: 'zebra shape',
      why: 'zebra',
      choices: ['mine', 'theirs', 'merged'],
      now: null,
      mine: 'a link to zebra',
      theirs: 'a link to zebra',
      diff: '-zebra\n+shape\n',
      merged: '-zebra\n',
    },
  ],
  refused: [{ path: 'zebra', why: 'zebra' }],
};

test('the question of an undo keeps the keys that it is answered by, and no secret of the files', () => {
  expect(redactEvent({ type: 'restore.conflicted', prompt: question }, cover)).toEqual({
    type: 'restore.conflicted',
    prompt: {
      ...question,
      label: 'before $ login ⟨secret:Z⟩',
      conflicts: [
        {
          key: 'zebra',
          path: '⟨secret:Z⟩ shape',
          why: '⟨secret:Z⟩',
          choices: ['mine', 'theirs', 'merged'],
          now: null,
          mine: 'a link to ⟨secret:Z⟩',
          theirs: 'a link to ⟨secret:Z⟩',
          diff: '-⟨secret:Z⟩\n+⟨shape⟩\n',
          merged: '-⟨secret:Z⟩\n',
        },
      ],
      refused: [{ path: '⟨secret:Z⟩', why: '⟨secret:Z⟩' }],
    },
  });
});

test('what an undo did is told without the secrets in names', () => {
  const report = {
    restored: ['zebra'],
    removed: ['zebra'],
    kept: ['zebra'],
    refused: [{ path: 'zebra', why: 'zebra' }],
  };
  expect(redactEvent({ type: 'restore.completed', checkpoint: 'c1', label: 'zebra', report }, cover)).toEqual({
    type: 'restore.completed',
    checkpoint: 'c1',
    label: '⟨secret:Z⟩',
    report: {
      restored: ['⟨secret:Z⟩'],
      removed: ['⟨secret:Z⟩'],
      kept: ['⟨secret:Z⟩'],
      refused: [{ path: '⟨secret:Z⟩', why: '⟨secret:Z⟩' }],
    },
  });
});
