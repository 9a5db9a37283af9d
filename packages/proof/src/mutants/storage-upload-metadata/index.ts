import type { Mutant } from '../mutant.ts';
import { stMetaAuthorization } from './st-meta-authorization.ts';
import { stMetaCall } from './st-meta-call.ts';
import { stMetaFileId } from './st-meta-file-id.ts';
import { stMetaStoreFileId } from './st-meta-store-file-id.ts';
import { stMetaToken } from './st-meta-token.ts';
import { stMetaUrl } from './st-meta-url.ts';

export const storageUploadMetadata: readonly Mutant[] = [
  stMetaCall,
  stMetaUrl,
  stMetaToken,
  stMetaAuthorization,
  stMetaFileId,
  stMetaStoreFileId,
];
