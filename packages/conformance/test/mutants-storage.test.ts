import { expectFound } from './mutants/expect-found.ts';

expectFound('storage');
