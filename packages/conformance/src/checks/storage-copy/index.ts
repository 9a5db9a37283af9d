import type { Check } from '../check.ts';
import { stCopyCall } from './st-copy-call.ts';
import { stCopyDstPath } from './st-copy-dst-path.ts';
import { stCopyKeepsSource } from './st-copy-keeps-source.ts';
import { stCopyMove } from './st-copy-move.ts';
import { stCopyMoveFailed } from './st-copy-move-failed.ts';
import { stCopyOverwriteDefault } from './st-copy-overwrite-default.ts';
import { stCopyOverwriteFalse } from './st-copy-overwrite-false.ts';
import { stCopyOverwriteTrue } from './st-copy-overwrite-true.ts';
import { stCopySrcPath } from './st-copy-src-path.ts';

export const storageCopy: readonly Check[] = [
  stCopyCall,
  stCopySrcPath,
  stCopyDstPath,
  stCopyOverwriteDefault,
  stCopyOverwriteTrue,
  stCopyOverwriteFalse,
  stCopyKeepsSource,
  stCopyMove,
  stCopyMoveFailed,
];
