import { spread } from '../../gate/program.ts';
import type { ProgramEffect } from '../program-effect.ts';
import { CONTENT_EFFECTS } from './content-effects.ts';
import { FED_EFFECTS } from './fed-effects.ts';
import { FILE_EFFECTS } from './file-effects.ts';
import { FIND_EFFECTS } from './find-effects.ts';
import { GIT_EFFECTS } from './git-effects.ts';
import { NETWORK_EFFECTS } from './network-effects.ts';
import { SHELL_EFFECTS } from './shell-effects.ts';

/** What is known of programs beyond what the gate finds; any other is as unknown as the gate says. */
export const PROGRAM_EFFECTS: ReadonlyMap<string, ProgramEffect> = new Map(
  [FILE_EFFECTS, FIND_EFFECTS, CONTENT_EFFECTS, GIT_EFFECTS, NETWORK_EFFECTS, SHELL_EFFECTS, FED_EFFECTS].flatMap(
    (table) => [...spread(table)],
  ),
);
