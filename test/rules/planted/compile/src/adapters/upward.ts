import type { Session } from '../engine/session.ts';

export type Held = Session;
