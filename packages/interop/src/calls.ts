/** The deployment that a generated client calls, and the credentials that it uses. */
export interface Target {
  /** Base address of the gateway and of the storage API. */
  readonly url: string;
  readonly env: string;
  readonly token: string;
  /** Signed headers of a storage call. */
  readonly storageHeaders: Readonly<Record<string, string>>;
}

export interface UploadMetaData {
  readonly url: string;
  readonly authorization: string;
  readonly token: string;
  readonly storeFileID: string;
}

export interface Upload {
  readonly to: UploadMetaData;
  readonly key: string;
  readonly file: Blob;
}

/**
 * The calls in the matrix, made as a user of a generated client would make them. Each resolves to the
 * client's return value.
 */
export interface Calls {
  get(): Promise<unknown>;
  post(body: Record<string, unknown>): Promise<unknown>;
  getPath(anyPath: string): Promise<unknown>;
  postPath(anyPath: string, body: Record<string, unknown>): Promise<unknown>;
  text(): Promise<unknown>;
  /** Calls a missing service, and resolves to the code of the error. */
  error(): Promise<unknown>;
  /** Resolves before the stream has ended. */
  events(): Promise<AsyncIterable<unknown>>;
  getUploadMetaData(path: string): Promise<Partial<UploadMetaData> | undefined>;
  upload(upload: Upload): Promise<unknown>;
  batchGetTempUrls(fileID: string): Promise<string | undefined>;
  batchCopyFile(srcPath: string, dstPath: string): Promise<unknown>;
  batchDelete(fileID: string): Promise<unknown>;
}

export type CallId = keyof Calls;

/**
 * A module in `clients/`. `plain` returns all calls, made with the generated client as is. `configured`
 * returns the calls that need a setting.
 */
export interface Client {
  plain(target: Target): Calls;
  configured(target: Target): Partial<Calls>;
}
