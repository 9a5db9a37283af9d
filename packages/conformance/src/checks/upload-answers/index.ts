import type { Check } from '../check.ts';
import { upBroken } from './up-broken.ts';
import { upError } from './up-error.ts';
import { upFileId } from './up-file-id.ts';
import { upKept } from './up-kept.ts';
import { upSuccess } from './up-success.ts';
import { upWhole } from './up-whole.ts';

export const uploadAnswers: readonly Check[] = [
  upError,
  upSuccess,
  upFileId,
  upWhole,
  upBroken,
  upKept,
];
