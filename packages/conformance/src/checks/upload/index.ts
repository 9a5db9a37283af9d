import type { Check } from '../check.ts';
import { upFile } from './up-file.ts';
import { upForm } from './up-form.ts';
import { upKey } from './up-key.ts';
import { upMetaFileId } from './up-meta-file-id.ts';
import { upSignature } from './up-signature.ts';
import { upToken } from './up-token.ts';
import { upUrlVerbatim } from './up-url-verbatim.ts';

export const upload: readonly Check[] = [
  upForm,
  upUrlVerbatim,
  upSignature,
  upToken,
  upMetaFileId,
  upKey,
  upFile,
];
