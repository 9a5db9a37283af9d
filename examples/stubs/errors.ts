import { GatewayError, StorageError, UploadError } from '@berth/server-stubs';

declare const error: unknown;

// #region errors
throw new GatewayError('SERVICE_NOT_READY', { retryAfter: 5 });
throw new StorageError('INVALID_PARAM', { message: 'fileList[0].maxAge must be at least 1.' });
throw new UploadError('AccessDenied', { cause: error });
// #endregion
