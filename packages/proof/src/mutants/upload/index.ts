import type { Mutant } from '../mutant.ts';
import { upFile } from './up-file.ts';
import { upFileBom } from './up-file-bom.ts';
import { upForm } from './up-form.ts';
import { upFormExisting } from './up-form-existing.ts';
import { upKey } from './up-key.ts';
import { upKeyMissing } from './up-key-missing.ts';
import { upMetaFileId } from './up-meta-file-id.ts';
import { upSignature } from './up-signature.ts';
import { upSignatureWrong } from './up-signature-wrong.ts';
import { upToken } from './up-token.ts';
import { upTokenEmpty } from './up-token-empty.ts';
import { upUrlVerbatim } from './up-url-verbatim.ts';

export const upload: readonly Mutant[] = [
  upForm,
  upFormExisting,
  upUrlVerbatim,
  upSignature,
  upSignatureWrong,
  upToken,
  upTokenEmpty,
  upMetaFileId,
  upKey,
  upKeyMissing,
  upFile,
  upFileBom,
];
