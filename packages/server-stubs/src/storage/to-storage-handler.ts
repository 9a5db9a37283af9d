import { StorageError } from '../errors.ts';
import { type EnvOption, UPLOAD_OPERATION } from '../http/router-options.ts';
import { defaultWireProfile, type WireProfile } from '../http/wire-profile.ts';
import type {
  Call,
  Content,
  Handler,
  HandlerResponse,
  Input,
  Route,
  RouteTable,
  Validator,
} from '../runtime/index.ts';
import type { StorageCall } from './storage-handlers.ts';

const LIST = 'fileList';

export const CREDENTIALS = 'credentials';

type AnyHandler = (input: unknown, call: StorageCall) => unknown;

interface Settings {
  readonly env: EnvOption | undefined;
  readonly batchItems: number;
  /** The field's name on the wire (D1). */
  readonly storeFileID: string;
}

export function toStorageHandler(
  handler: AnyHandler,
  { env, batchItems, storeFileID }: Settings,
): Handler {
  const { storeFileID: neutral } = defaultWireProfile;
  const toWire = (data: unknown, call: Call): HandlerResponse => {
    const response = toEnvelope(data, call);
    if (storeFileID === neutral) return response;
    return { ...response, body: renameField(response.body, neutral, storeFileID) };
  };
  return async ({ body }: Input, call: Call) => {
    const known = call as unknown as StorageCall & { caller: unknown };
    // Act on the same environment that the security handler got.
    assertEnv(known.envId, env);
    assertBatch(body, batchItems);
    known.caller = call.security[CREDENTIALS];
    return toWire(await handler(body, known), call);
  };
}

/** Wraps data in the envelope `{ statusCode, body: { requestId, data } }` (D20). */
function toEnvelope(data: unknown, { requestId }: Call): HandlerResponse {
  return { status: 200, body: { statusCode: 200, body: { requestId, data } } };
}

function assertEnv(envId: string, env: EnvOption | undefined): void {
  if (env === undefined || (typeof env === 'string' ? env === envId : env(envId))) return;
  throw new StorageError('INVALID_ENV', { message: `Environment ${envId} does not exist.` });
}

/**
 * Rejects a call with more than the maximum number of items (D25).
 *
 * @throws StorageError INVALID_PARAM
 */
function assertBatch(input: unknown, maxItems: number): void {
  const list = (input as Record<string, unknown>)[LIST];
  if (!Array.isArray(list) || list.length <= maxItems) return;
  throw new StorageError('INVALID_PARAM', {
    message: `${LIST} has ${list.length} items: send at most ${maxItems} per call.`,
  });
}

/**
 * Returns the storage API's routes with the names of a wire profile (D1), and with a single security
 * scheme for the three headers, which can only be checked together.
 */
export function toStorageTable(table: RouteTable, profile: WireProfile): RouteTable {
  return {
    ...table,
    securitySchemes: {
      [CREDENTIALS]: { type: 'apiKey', in: 'header', name: profile.storageHeaders.authorization },
    },
    routes: table.routes
      .filter(({ operationId }) => operationId !== UPLOAD_OPERATION)
      .map((route) => ({ ...withProfile(route, profile), security: [[CREDENTIALS]] })),
  };
}

function withProfile(route: Route, { storeFileID }: WireProfile): Route {
  if (storeFileID === defaultWireProfile.storeFileID) return route;
  const rename = (content: Content): Content =>
    content.validate === undefined
      ? content
      : { ...content, validate: underNeutralName(content.validate, storeFileID) };
  const responses = route.responses.map((response) => ({
    ...response,
    content: response.content.map(rename),
  }));
  return { ...route, responses };
}

/** Validates a response against the schema, which only knows the field's neutral name. */
function underNeutralName(validate: Validator, name: string): Validator {
  const renamed: Validator = (response) => {
    const isValid = validate(renameField(response, name, defaultWireProfile.storeFileID));
    renamed.errors = validate.errors ?? null;
    return isValid;
  };
  return renamed;
}

function renameField(envelope: unknown, from: string, to: string): unknown {
  const { statusCode, body } = envelope as { statusCode: number; body?: { data?: object } };
  const data = body?.data as Record<string, unknown> | undefined;
  if (data === undefined || data === null || !Object.hasOwn(data, from)) return envelope;
  const { [from]: value, ...others } = data;
  return { statusCode, body: { ...body, data: { ...others, [to]: value } } };
}
