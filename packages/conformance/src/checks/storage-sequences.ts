import { type Check, defineCheck } from './check.ts';
import { runSequences } from './sequences/run-sequences.ts';
import { needsFiles } from './support/storage.ts';

export const storageSequences: readonly Check[] = [
  defineCheck('ST-SEQUENCE', needsFiles, (t) => runSequences(t, false)),
  defineCheck('ST-RACE', needsFiles, (t) => runSequences(t, true)),
];
