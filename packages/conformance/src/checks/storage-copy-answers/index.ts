import type { Check } from '../check.ts';
import { stCopyAlone } from './st-copy-alone.ts';
import { stCopyFailed } from './st-copy-failed.ts';
import { stCopyFileId } from './st-copy-file-id.ts';
import { stCopyFileIdPresent } from './st-copy-file-id-present.ts';
import { stCopyList } from './st-copy-list.ts';
import { stCopyMissing } from './st-copy-missing.ts';
import { stCopySucceeded } from './st-copy-succeeded.ts';

export const storageCopyAnswers: readonly Check[] = [
  stCopyList,
  stCopyFileId,
  stCopyFileIdPresent,
  stCopyFailed,
  stCopySucceeded,
  stCopyMissing,
  stCopyAlone,
];
