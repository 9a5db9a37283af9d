import type { Check } from '../check.ts';
import { stDeleteAlone } from './st-delete-alone.ts';
import { stDeleteCall } from './st-delete-call.ts';
import { stDeleteCode } from './st-delete-code.ts';
import { stDeleteFileId } from './st-delete-file-id.ts';
import { stDeleteList } from './st-delete-list.ts';
import { stDeleteMissing } from './st-delete-missing.ts';
import { stDeleteOnly } from './st-delete-only.ts';

export const storageDelete: readonly Check[] = [
  stDeleteCall,
  stDeleteOnly,
  stDeleteList,
  stDeleteFileId,
  stDeleteCode,
  stDeleteMissing,
  stDeleteAlone,
];
