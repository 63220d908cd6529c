import { serve } from '../daemon/server.ts';

export const run = serve;
