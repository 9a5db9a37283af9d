import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { Choices } from '../choices.ts';
import { readBody } from '../http/read-body.ts';
import { limits } from '../limits.ts';
import { batchCopyFile } from './batch-copy-file.ts';
import { batchDelete } from './batch-delete.ts';
import { batchGetTempUrls } from './batch-get-temp-urls.ts';
import { checkKey, type StorageKey } from './check-key.ts';
import { getUploadMetaData } from './get-upload-meta-data.ts';
import type { Tools } from './operation.ts';
import { readFields } from './read-fields.ts';
import { Refusal } from './refusals.ts';
import { type Answer, toFailure, toSuccess } from './to-answer.ts';

const operations = { getUploadMetaData, batchGetTempUrls, batchDelete, batchCopyFile };

export interface StorageSettings {
  env: string;
  key: StorageKey;
  choices: Choices;
  nextRequestId: () => string;
}

/** The storage API: `/api/v2/envs/{env}/storages:{operation}`. */
export function createStorageApi(settings: StorageSettings, tools: Tools): Server {
  const { choices, nextRequestId } = settings;
  return createServer(async (request, response) => {
    const body = await readBody(request, limits.storageBodyBytes).catch(() => null);
    if (body === null) return;
    const { env, operation } = readTarget(request.url);
    let answer: Answer;
    try {
      const data = call(request, body, { env, operation }, settings, tools);
      answer = toSuccess(data, nextRequestId(), choices);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      answer = toFailure(error, operation, nextRequestId(), choices);
    }
    response.writeHead(answer.status, {
      'content-type': 'application/json;charset=UTF-8',
      ...(answer.status === 200 ? {} : { Connection: 'close' }),
    });
    response.end(answer.body);
  });
}

function readTarget(url = ''): { env: string; operation: string } {
  const [, env = '', operation = ''] =
    /^\/api\/v2\/envs\/([^/?]*)\/storages:([^/?]*)(\?|$)/.exec(url) ?? [];
  return { env, operation };
}

function call(
  request: IncomingMessage,
  body: Buffer | undefined,
  { env, operation }: { env: string; operation: string },
  settings: StorageSettings,
  tools: Tools,
): object {
  if (!Object.hasOwn(operations, operation)) throw new Refusal('NO_OPERATION');
  if (request.method !== 'POST') throw new Refusal('NOT_POST');
  checkKey(request, settings.key);
  if (env !== settings.env) throw new Refusal('OTHER_ENV');
  if (!body) throw new Refusal('TOO_LONG');
  const { shape, run } = operations[operation as keyof typeof operations];
  return run(readFields(body.toString(), shape, settings.choices), tools);
}
