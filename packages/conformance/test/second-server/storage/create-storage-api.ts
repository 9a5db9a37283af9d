import { createServer, type IncomingMessage, type Server } from 'node:http';
import { type Choices, limits, names } from '../choices.ts';
import { readBody } from '../http/listen.ts';
import { checkFields, isObject, Refusal, refusals, type Shape, type Tools } from './operation.ts';
import { batchCopyFile, batchDelete, batchGetTempUrls, getUploadMetaData } from './operations.ts';

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
    let received: StorageResponse;
    try {
      const data = call(request, body, { env, operation }, settings, tools);
      received = toSuccess(data, nextRequestId(), choices);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      received = toFailure(error, operation, nextRequestId(), choices);
    }
    response.writeHead(received.status, {
      'content-type': 'application/json;charset=UTF-8',
      ...(received.status === 200 ? {} : { Connection: 'close' }),
    });
    response.end(received.body);
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

/** An opaque credential: nothing is signed. */
interface StorageKey {
  authorization: string;
  sessionToken: string;
}

/** "Storage API calls carry three request headers": all of them, on every call. */
function checkKey({ headers }: IncomingMessage, key: StorageKey): void {
  const read = (name: string) => headers[name.toLowerCase()]?.toString().trim();
  const authorization = read(names.authorization);
  const sessionToken = read(names.sessionToken);
  const timestamp = read(names.timestamp);
  if (!authorization || !sessionToken || !timestamp) throw new Refusal('NO_KEY');
  if (authorization !== key.authorization || sessionToken !== key.sessionToken) {
    throw new Refusal('BAD_KEY');
  }
  const off = Math.abs(Date.now() / 1000 - Number(timestamp));
  if (!/^\d+$/.test(timestamp) || off > limits.storageClockSeconds) throw new Refusal('BAD_CLOCK');
}

interface StorageResponse {
  status: number;
  body: string;
}

type Ways = Pick<Choices, 'envelope' | 'failures' | 'should'>;

/** "On success `statusCode` is 200" (D20). */
function toSuccess(data: object, requestId: string, ways: Ways): StorageResponse {
  return envelop(200, 200, { ...common(requestId, ways), data }, ways);
}

/**
 * `statusCode` "for copy equals the HTTP status; elsewhere equality is ours" (D20), so elsewhere it is a
 * number of this server's own.
 */
function toFailure(
  { code, message }: Refusal,
  operation: string,
  requestId: string,
  ways: Ways,
): StorageResponse {
  const { status: own, ok } = refusals[code];
  const status = ways.failures === 'ok' || (ways.failures === 'some' && ok) ? 200 : own;
  const statusCode = operation === 'batchCopyFile' ? status : 7000 + own;
  const text = ways.should === 'kept' ? { message } : {};
  return envelop(status, statusCode, { code, ...text, ...common(requestId, ways) }, ways);
}

function common(requestId: string, { should }: Ways): object {
  return should === 'kept' ? { requestId } : {};
}

function envelop(
  status: number,
  statusCode: number,
  body: object,
  { envelope }: Ways,
): StorageResponse {
  return { status, body: JSON.stringify(envelope === 'flat' ? body : { body, statusCode }) };
}

/**
 * Returns the fields of a request, from the one place where this server accepts them: "a deployment must
 * accept at least one form" (D21). The content type is ignored.
 */
function readFields(
  text: string,
  shape: Shape,
  { requestForm, should }: Choices,
): Record<string, unknown> {
  const body = parse(text);
  if (requestForm === 'top') return checkFields(body, shape, should);
  if (!isObject(body) || !Object.hasOwn(body, 'data')) throw new Refusal('BAD_FIELD');
  if (Object.keys(body).length > 1 && should === 'dropped') throw new Refusal('ODD_FIELD');
  return checkFields(body.data, shape, should);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Refusal('NOT_JSON');
  }
}
