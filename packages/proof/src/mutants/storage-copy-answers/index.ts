import type { Mutant } from '../mutant.ts';
import { stCopyAlone } from './st-copy-alone.ts';
import { stCopyAloneRest } from './st-copy-alone-rest.ts';
import { stCopyFailed } from './st-copy-failed.ts';
import { stCopyFailedCode } from './st-copy-failed-code.ts';
import { stCopyFileId } from './st-copy-file-id.ts';
import { stCopyFileIdNumber } from './st-copy-file-id-number.ts';
import { stCopyFileIdPresent } from './st-copy-file-id-present.ts';
import { stCopyList } from './st-copy-list.ts';
import { stCopyListObject } from './st-copy-list-object.ts';
import { stCopyMissing } from './st-copy-missing.ts';
import { stCopyMissingEmpty } from './st-copy-missing-empty.ts';
import { stCopySucceeded } from './st-copy-succeeded.ts';
import { stCopySucceededMessage } from './st-copy-succeeded-message.ts';

export const storageCopyAnswers: readonly Mutant[] = [
  stCopyList,
  stCopyListObject,
  stCopyFileId,
  stCopyFileIdNumber,
  stCopyFileIdPresent,
  stCopyFailed,
  stCopyFailedCode,
  stCopySucceeded,
  stCopySucceededMessage,
  stCopyMissing,
  stCopyMissingEmpty,
  stCopyAlone,
  stCopyAloneRest,
];
