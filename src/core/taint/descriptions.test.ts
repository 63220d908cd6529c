import { expect, test } from 'bun:test';
import type { Tool } from '../../protocol/tool.ts';
import { sourcesOfDescriptions } from './descriptions.ts';

function tool(name: string, more: Partial<Tool> = {}): Tool {
  return { name, description: 'Does it', parameters: {}, effect: 'write', ...more };
}

test('what a server says of its tools is text of others, once for a server, until all of it is reviewed', () => {
  const tools = [
    tool('aish.exec'),
    tool('web.get'),
    tool('web.put'),
    tool('notes.read', { reviewed: true }),
    tool('mail.read', { reviewed: true }),
    tool('mail.send'),
  ];
  expect(sourcesOfDescriptions(tools)).toEqual([
    { kind: 'server', name: 'descriptions of web' },
    { kind: 'server', name: 'descriptions of mail' },
  ]);
});
