import type { Mutant } from '../mutant.ts';
import { stCopyPathAbsolute } from './st-copy-path-absolute.ts';
import { stCopyPathCharacters } from './st-copy-path-characters.ts';
import { stCopyPathCharactersChinese } from './st-copy-path-characters-chinese.ts';
import { stCopyPathLevels } from './st-copy-path-levels.ts';
import { stCopyPathRefused } from './st-copy-path-refused.ts';
import { stCopyPathRefusedCall } from './st-copy-path-refused-call.ts';

export const storageCopyPaths: readonly Mutant[] = [
  stCopyPathLevels,
  stCopyPathCharacters,
  stCopyPathCharactersChinese,
  stCopyPathRefused,
  stCopyPathRefusedCall,
  stCopyPathAbsolute,
];
