// fast-check with the seed of the run: alone it takes another seed each time.
import fc from 'fast-check';
import { SEED } from './seed.ts';

fc.configureGlobal({ seed: SEED });

export default fc;
