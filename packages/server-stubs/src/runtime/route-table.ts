import type { ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';

/** JSON types of a single value. */
export type ScalarType = 'null' | 'boolean' | 'integer' | 'number' | 'string';

export type ParameterPlace = 'path' | 'query' | 'header' | 'cookie';

export type ParameterStyle =
  | 'simple'
  | 'label'
  | 'matrix'
  | 'form'
  | 'spaceDelimited'
  | 'pipeDelimited'
  | 'deepObject';

/** The failure of one JSON Schema keyword, as reported by Ajv. */
export interface SchemaError {
  readonly instancePath: string;
  readonly schemaPath: string;
  readonly keyword: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly message?: string;
}

/** A compiled schema. If it returns false, `errors` has the first error. */
export interface Validator {
  (data: unknown): boolean;
  errors?: readonly SchemaError[] | null;
}

/** One parameter, with everything that is needed to parse its value. */
export interface Parameter {
  readonly name: string;
  readonly in: ParameterPlace;
  readonly style: ParameterStyle;
  readonly explode: boolean;
  readonly required: boolean;
  /** `json`: the parameter has `content` with a JSON media type. */
  readonly shape: 'scalar' | 'array' | 'object' | 'json';
  /** Types of the value, or of the items of an array. */
  readonly types: readonly ScalarType[];
  /** Types of each known property of an object. */
  readonly properties?: Readonly<Record<string, readonly ScalarType[]>>;
  /**
   * Types of unknown properties, if the schema allows them. An exploded object in a query then has all
   * names that no other parameter claims.
   */
  readonly additional?: readonly ScalarType[];
  /** In paths only: matches all remaining segments, raw (`x-berth-greedy`). */
  readonly greedy?: true;
  readonly default?: unknown;
}

export type ContentKind = 'json' | 'text' | 'form' | 'multipart' | 'binary';

/** One media type of a body. `mediaType` may be a range (`text/*`). */
export interface Content {
  readonly mediaType: string;
  readonly kind: ContentKind;
  readonly validate?: Validator;
}

export interface RequestBody {
  readonly required: boolean;
  /** The fields may also be inside this property (`x-berth-unwrap`); handlers get them flat. */
  readonly unwrap?: string;
  /**
   * Names of the flat fields: one of them next to the property `unwrap` is refused, other fields are
   * ignored. Absent: every field next to it is refused.
   */
  readonly unwrapFields?: readonly string[];
  readonly content: readonly Content[];
}

/** `status` is `200`, a range such as `4XX`, or `default`. */
export interface DocumentedResponse {
  readonly status: string;
  /** Headers that the response must have, in lower case. */
  readonly requiredHeaders?: readonly string[];
  readonly content: readonly Content[];
}

/** One operation of the document. */
export interface Route {
  readonly operationId: string;
  /** In upper case. */
  readonly method: string;
  /** Path template with the base path of the server, `/pets/{id}`. */
  readonly path: string;
  readonly parameters: readonly Parameter[];
  /** Validates `{ path, query, header, cookie }` against the schemas of the parameters. */
  readonly validateParameters?: Validator;
  readonly body?: RequestBody;
  readonly responses: readonly DocumentedResponse[];
  /** Alternatives; within one, all schemes must authenticate the caller. Empty: no authentication. */
  readonly security: readonly (readonly string[])[];
  /** Scopes by scheme, for each alternative; absent if there are none. */
  readonly scopes?: readonly Readonly<Record<string, readonly string[]>>[];
  /** Request and response are streamed without parsing or validation (`x-berth-pass-through`). */
  readonly passThrough?: true;
  readonly deprecated?: true;
}

export type SecurityScheme =
  | { readonly type: 'http'; readonly scheme: string }
  | { readonly type: 'apiKey'; readonly in: 'header' | 'query' | 'cookie'; readonly name: string }
  | { readonly type: 'oauth2' | 'openIdConnect' | 'mutualTLS' };

/** Everything that the runtime knows about a document. */
export interface RouteTable {
  readonly title: string;
  readonly version: string;
  /** SHA-256 of the document that this was generated from. */
  readonly sha256: string;
  readonly securitySchemes: Readonly<Record<string, SecurityScheme>>;
  readonly routes: readonly Route[];
}

/** A response of a handler; generated code narrows it to the documented responses. */
export interface HandlerResponse {
  readonly status: number;
  /** Documented media type of the body. Default: the one in `headers`, or the first. */
  readonly contentType?: string;
  readonly headers?: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body?: unknown;
}

/**
 * Ends a response, as `response.end` does. If the client is still sending its body, the connection closes
 * only when the body has ended, or after a timeout: a client that is cut off while sending may never see
 * the response (RFC 9112, section 9.6).
 */
export type EndResponse = (
  response: ServerResponse,
  chunk?: string | Uint8Array,
  encoding?: BufferEncoding,
) => void;

/**
 * A body that writes itself, without a stream in between. It is called once, after the head is written.
 * It must respect `drain`, and finally call `end` or destroy the response. Node.js drops what it writes
 * if the response has no body (HEAD, 204, 304). For pass-through operations only.
 */
export type BodyWriter = (response: ServerResponse, end: EndResponse) => void;

/** Bodies that are sent as is, never as JSON. */
export type RawBody = string | Uint8Array | Readable | ReadableStream<Uint8Array>;
