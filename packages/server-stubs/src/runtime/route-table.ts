import type { ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';

/** JSON types of a single value, in the order in which a text is tried against them. */
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

/** What one JSON Schema keyword found wrong; the shape that Ajv reports. */
export interface SchemaError {
  readonly instancePath: string;
  readonly schemaPath: string;
  readonly keyword: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly message?: string;
}

/** A compiled schema: gives the verdict, and leaves the first error in `errors` where it is false. */
export interface Validator {
  (data: unknown): boolean;
  errors?: readonly SchemaError[] | null;
}

/** One parameter, with all that is needed to read its value from the text of a request. */
export interface Parameter {
  readonly name: string;
  readonly in: ParameterPlace;
  readonly style: ParameterStyle;
  readonly explode: boolean;
  readonly required: boolean;
  /** `json`: the parameter has `content` with a JSON media type. */
  readonly shape: 'scalar' | 'array' | 'object' | 'json';
  /** Types of the value; of the items, where it is an array. */
  readonly types: readonly ScalarType[];
  /** Types of each known property, where it is an object. */
  readonly properties?: Readonly<Record<string, readonly ScalarType[]>>;
  /**
   * Types of the properties that are not known, where the schema speaks of such; text without. Then an
   * exploded object in a query has all names that no other parameter claims.
   */
  readonly additional?: readonly ScalarType[];
  /** Only in a path: takes all segments that follow, raw (`x-berth-greedy`). */
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
  /** The fields may also stand inside this property (`x-berth-unwrap`); handlers get them flat. */
  readonly unwrap?: string;
  /**
   * Names of the flat fields: one of them beside the property `unwrap` is refused, other fields there
   * are ignored. Absent: every field beside it is refused.
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
  /** Holds `{ path, query, header, cookie }` to the schemas of the parameters. */
  readonly validateParameters?: Validator;
  readonly body?: RequestBody;
  readonly responses: readonly DocumentedResponse[];
  /** Alternatives; within one, all schemes must let the caller in. Empty: nobody is asked. */
  readonly security: readonly (readonly string[])[];
  /** Scopes by scheme, for each alternative; absent where none asks for any. */
  readonly scopes?: readonly Readonly<Record<string, readonly string[]>>[];
  /** Request and answer pass as streams, unparsed and unjudged (`x-berth-pass-through`). */
  readonly passThrough?: true;
  readonly deprecated?: true;
}

export type SecurityScheme =
  | { readonly type: 'http'; readonly scheme: string }
  | { readonly type: 'apiKey'; readonly in: 'header' | 'query' | 'cookie'; readonly name: string }
  | { readonly type: 'oauth2' | 'openIdConnect' | 'mutualTLS' };

/** All that the runtime knows of a document. */
export interface RouteTable {
  readonly title: string;
  readonly version: string;
  /** SHA-256 of the document that this was generated from. */
  readonly sha256: string;
  readonly securitySchemes: Readonly<Record<string, SecurityScheme>>;
  readonly routes: readonly Route[];
}

/** What a handler answers with; generated code narrows it to the documented responses. */
export interface Answer {
  readonly status: number;
  /** Which documented media type the body has; default the one in `headers`, else the first. */
  readonly contentType?: string;
  readonly headers?: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body?: unknown;
}

/**
 * Ends an answer, as `response.end` does. Where the client still sends a body that nobody wants, the
 * connection closes only when it has ended, or had its time: a client that is cut off while it sends may
 * never see the answer (RFC 9112, section 9.6).
 */
export type EndAnswer = (
  response: ServerResponse,
  chunk?: string | Uint8Array,
  encoding?: BufferEncoding,
) => void;

/**
 * A body that writes itself, for whoever needs no stream in between. It is called once, when the head has
 * been handed to Node, and has to write with regard to `drain`, and to end the response by `end`, or to
 * destroy it. Node drops what it writes where the answer has no body (HEAD, 204, 304). Only where bodies
 * pass through.
 */
export type BodyWriter = (response: ServerResponse, end: EndAnswer) => void;

/** Bodies that are sent as they are, never as JSON. */
export type RawBody = string | Uint8Array | Readable | ReadableStream<Uint8Array>;
