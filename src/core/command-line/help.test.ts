import { expect, test } from 'bun:test';
import { textWidth } from '../terminal/graphemes.ts';
import { formatUsage } from './help.ts';

test.each([40, 80])('help fits a window of %i columns, word by word', (columns) => {
  for (const topic of [undefined, 'sessions', 'mcp', 'models'] as const) {
    const text = formatUsage(topic, columns);
    expect(text.split('\n').filter((row) => textWidth(row) > columns)).toEqual([]);
    expect(text.split(/\s+/)).toEqual(formatUsage(topic).split(/\s+/));
  }
});
