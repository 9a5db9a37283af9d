import type { Mutant } from '../mutant.ts';
import { stCopyCall } from './st-copy-call.ts';
import { stCopyDstPath } from './st-copy-dst-path.ts';
import { stCopyKeepsSource } from './st-copy-keeps-source.ts';
import { stCopyKeepsSourceFalse } from './st-copy-keeps-source-false.ts';
import { stCopyMove } from './st-copy-move.ts';
import { stCopyMoveExisting } from './st-copy-move-existing.ts';
import { stCopyMoveFailed } from './st-copy-move-failed.ts';
import { stCopyOverwriteDefault } from './st-copy-overwrite-default.ts';
import { stCopyOverwriteFalse } from './st-copy-overwrite-false.ts';
import { stCopyOverwriteFalseWritten } from './st-copy-overwrite-false-written.ts';
import { stCopyOverwriteTrue } from './st-copy-overwrite-true.ts';
import { stCopySrcPath } from './st-copy-src-path.ts';

export const storageCopy: readonly Mutant[] = [
  stCopyCall,
  stCopySrcPath,
  stCopyDstPath,
  stCopyOverwriteDefault,
  stCopyOverwriteTrue,
  stCopyOverwriteFalse,
  stCopyOverwriteFalseWritten,
  stCopyKeepsSource,
  stCopyKeepsSourceFalse,
  stCopyMove,
  stCopyMoveExisting,
  stCopyMoveFailed,
];
