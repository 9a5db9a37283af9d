import type { Check } from '../check.ts';
import { auStorageAuthorization } from './au-storage-authorization.ts';
import { auStorageEnv } from './au-storage-env.ts';
import { auStorageNone } from './au-storage-none.ts';
import { auStorageSessionToken } from './au-storage-session-token.ts';
import { auStorageTimestamp } from './au-storage-timestamp.ts';
import { auStorageWrong } from './au-storage-wrong.ts';

export const authStorage: readonly Check[] = [
  auStorageAuthorization,
  auStorageSessionToken,
  auStorageTimestamp,
  auStorageNone,
  auStorageWrong,
  auStorageEnv,
];
