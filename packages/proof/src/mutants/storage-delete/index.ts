import type { Mutant } from '../mutant.ts';
import { stDeleteAlone } from './st-delete-alone.ts';
import { stDeleteAloneRest } from './st-delete-alone-rest.ts';
import { stDeleteCall } from './st-delete-call.ts';
import { stDeleteCallLink } from './st-delete-call-link.ts';
import { stDeleteCode } from './st-delete-code.ts';
import { stDeleteFileId } from './st-delete-file-id.ts';
import { stDeleteList } from './st-delete-list.ts';
import { stDeleteMissing } from './st-delete-missing.ts';
import { stDeleteMissingAgain } from './st-delete-missing-again.ts';
import { stDeleteOnly } from './st-delete-only.ts';
import { stDeleteOnlyFolder } from './st-delete-only-folder.ts';

export const storageDelete: readonly Mutant[] = [
  stDeleteCall,
  stDeleteCallLink,
  stDeleteOnly,
  stDeleteOnlyFolder,
  stDeleteList,
  stDeleteFileId,
  stDeleteCode,
  stDeleteMissing,
  stDeleteMissingAgain,
  stDeleteAlone,
  stDeleteAloneRest,
];
