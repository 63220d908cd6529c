import { expect, test } from 'bun:test';
import { requireWords } from './subcommand-args.ts';

test('an action without the words that it needs shows its own form, and other calls pass', () => {
  expect(() => requireWords('mcp', ['add', 'fs'])).toThrow('aish mcp add takes NAME URL|COMMAND…');
  expect(() => requireWords('memory', ['forget'])).toThrow('aish memory forget takes ID…');
  for (const args of [[], ['list'], ['unknown'], ['tools'], ['add', 'fs', 'node'], ['call', 'fs.read']]) requireWords('mcp', args);
});
