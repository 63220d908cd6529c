import type { Op } from '../protocol/op.ts';
import type { MetaCommand } from './meta-entry.ts';

/** The meta-commands that ask the session for something, here and at a seat. */
export type RequestCommand = Extract<MetaCommand, { name: 'undo' | 'redo' | 'halt' | 'compact' | 'name' | 'rehearse' }>;

/** What such a command asks the session for. */
export function toRequest(command: RequestCommand): Op {
  switch (command.name) {
    case 'undo':
    case 'redo': {
      const { name, id, steps, paths } = command;
      return {
        type: 'restore',
        checkpoint: id ?? null,
        direction: name,
        ...(paths.length === 0 ? {} : { paths }),
        ...(steps === undefined ? {} : { steps }),
      };
    }
    case 'halt':
      return { type: 'halt' };
    case 'compact':
      return { type: 'compact', ...(command.focus === undefined ? {} : { focus: command.focus }) };
    case 'name':
      return { type: 'rename', name: command.text };
    case 'rehearse':
      return { type: 'rehearse', line: command.line };
  }
}
