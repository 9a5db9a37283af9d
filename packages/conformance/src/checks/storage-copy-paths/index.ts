import type { Check } from '../check.ts';
import { stCopyPathAbsolute } from './st-copy-path-absolute.ts';
import { stCopyPathCharacters } from './st-copy-path-characters.ts';
import { stCopyPathLevels } from './st-copy-path-levels.ts';
import { stCopyPathRefused } from './st-copy-path-refused.ts';

export const storageCopyPaths: readonly Check[] = [
  stCopyPathLevels,
  stCopyPathCharacters,
  stCopyPathRefused,
  stCopyPathAbsolute,
];
