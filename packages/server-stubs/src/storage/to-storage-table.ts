import type { Content, Route, RouteTable, Validator } from '../runtime/index.ts';
import { defaultWireProfile, type WireProfile } from '../wire-profile.ts';

/** Name of the scheme in which the three headers of a storage call are taken together. */
export const CREDENTIALS = 'credentials';

/** The upload target, whose address is its own. */
export const UPLOAD_OPERATION = 'uploadFile';

/**
 * The routes of the storage API with the names of a wire profile (D1), and with one security scheme in
 * place of three headers: whoever checks one of them needs the others too.
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

/** Holds an answer to the schema, which knows the field by its neutral name only. */
function underNeutralName(validate: Validator, name: string): Validator {
  const renamed: Validator = (answer) => {
    const isValid = validate(renameField(answer, name, defaultWireProfile.storeFileID));
    renamed.errors = validate.errors ?? null;
    return isValid;
  };
  return renamed;
}

/** An envelope whose `data` has one field under another name; anything else as it is. */
export function renameField(envelope: unknown, from: string, to: string): unknown {
  const { statusCode, body } = envelope as { statusCode: number; body?: { data?: object } };
  const data = body?.data as Record<string, unknown> | undefined;
  if (data === undefined || data === null || !Object.hasOwn(data, from)) return envelope;
  const { [from]: value, ...others } = data;
  return { statusCode, body: { ...body, data: { ...others, [to]: value } } };
}
