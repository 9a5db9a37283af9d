import type { Mutant } from '../mutant.ts';
import { upBroken } from './up-broken.ts';
import { upBrokenChunked } from './up-broken-chunked.ts';
import { upBrokenDeleted } from './up-broken-deleted.ts';
import { upError } from './up-error.ts';
import { upErrorEmpty } from './up-error-empty.ts';
import { upFileId } from './up-file-id.ts';
import { upKept } from './up-kept.ts';
import { upKeptCopy } from './up-kept-copy.ts';
import { upKeptTwo } from './up-kept-two.ts';
import { upSuccess } from './up-success.ts';
import { upSuccessLost } from './up-success-lost.ts';
import { upWhole } from './up-whole.ts';

export const uploadAnswers: readonly Mutant[] = [
  upError,
  upErrorEmpty,
  upSuccess,
  upSuccessLost,
  upFileId,
  upWhole,
  upBroken,
  upBrokenChunked,
  upBrokenDeleted,
  upKept,
  upKeptCopy,
  upKeptTwo,
];
