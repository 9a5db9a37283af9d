/** The deployment that a generated client calls, and the credentials that it uses. */
export interface Target {
  /** Base addresses of the two APIs. */
  readonly gatewayUrl: string;
  readonly storageUrl: string;
  readonly env: string;
  readonly token: string;
  /** Signed headers of a storage call. */
  readonly storageHeaders: Readonly<Record<string, string>>;
}

/** What a client returned: `data`, or the body of an error. */
export interface Outcome {
  readonly data?: unknown;
  readonly error?: unknown;
  readonly response?: { readonly status: number } | undefined;
}

/** The fields of an upload form; a type alias, as the generated types have index signatures. */
export type FormFields = {
  Signature: string;
  'x-store-security-token': string;
  'x-store-meta-fileid': string;
  key: string;
  file: Blob;
};

type CopyItem = {
  srcPath: string;
  dstPath: string;
  removeOriginal?: boolean;
};

/** The calls of a generated client, made as a user of it would make them. */
export interface Client {
  /** Calls the hosted service `hello`, or another one; an empty path is that of its root. */
  get(path: string, name?: string): Promise<Outcome>;
  post(path: string, body: Record<string, unknown>): Promise<Outcome>;
  /** Gets `text` of the service. Default: with `get` */
  text?(): Promise<Outcome>;
  /** Gets `events` of the service, and resolves before the stream has ended. Default: with `get` */
  events?(): Promise<Outcome>;
  getUploadMetaData(path: string): Promise<Outcome>;
  upload(url: string, form: FormFields): Promise<Outcome>;
  batchGetTempUrls(fileList: { fileID: string }[]): Promise<Outcome>;
  batchDelete(fileList: string[]): Promise<Outcome>;
  batchCopyFile(fileList: CopyItem[]): Promise<Outcome>;
}

/**
 * What a module in `clients/` exports.
 *
 * @param isConfigured whether with the settings that are needed for all calls, or as generated
 */
export type CreateClient = (target: Target, isConfigured: boolean) => Client;

/** Thrown for a call that the client reports as failed. */
class CallError extends Error {
  readonly fields: object;

  constructor({ error, response }: Outcome) {
    const own = Object(error);
    const { code, requestId, message } = Object(own.body ?? own);
    super(JSON.stringify(error) ?? 'the call failed');
    this.fields = { code, requestId, message, status: response?.status };
  }
}

/** @throws CallError for a call that failed */
export async function dataOf(call: Promise<Outcome>): Promise<unknown> {
  const outcome = await call;
  if (outcome.error !== undefined) throw new CallError(outcome);
  return outcome.data;
}

/** Returns `data` of the envelope of a storage call. */
export async function unwrap(call: Promise<Outcome>): Promise<Record<string, unknown>> {
  return Object(Object(Object(await dataOf(call)).body).data);
}

/** The form for a grant. */
export function toForm(grant: object, key: string, file: Blob): FormFields {
  const { authorization, token, storeFileID } = Object(grant);
  return {
    Signature: authorization,
    'x-store-security-token': token,
    'x-store-meta-fileid': storeFileID,
    ...{ key, file },
  };
}
