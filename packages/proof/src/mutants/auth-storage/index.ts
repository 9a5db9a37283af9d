import type { Mutant } from '../mutant.ts';
import { auStorageAuthorization } from './au-storage-authorization.ts';
import { auStorageAuthorizationCase } from './au-storage-authorization-case.ts';
import { auStorageEnv } from './au-storage-env.ts';
import { auStorageEnvPrefix } from './au-storage-env-prefix.ts';
import { auStorageNone } from './au-storage-none.ts';
import { auStorageSessionToken } from './au-storage-session-token.ts';
import { auStorageTimestamp } from './au-storage-timestamp.ts';
import { auStorageWrong } from './au-storage-wrong.ts';
import { auStorageWrongEmpty } from './au-storage-wrong-empty.ts';

export const authStorage: readonly Mutant[] = [
  auStorageAuthorization,
  auStorageAuthorizationCase,
  auStorageSessionToken,
  auStorageTimestamp,
  auStorageNone,
  auStorageWrong,
  auStorageWrongEmpty,
  auStorageEnv,
  auStorageEnvPrefix,
];
