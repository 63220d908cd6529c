import { start } from '../engine/session.ts';

export type Started = ReturnType<typeof start>;
