import { serve } from '../daemon/server.ts';

export const run = serve;

export const load = () => require('./moved.ts');
