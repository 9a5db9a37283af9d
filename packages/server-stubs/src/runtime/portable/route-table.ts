import type { ErrorObject } from 'ajv';

export type ScalarType = 'null' | 'boolean' | 'integer' | 'number' | 'string';

export type ParameterLocation = 'path' | 'query' | 'header' | 'cookie';

export type ParameterStyle = 'simple' | 'form' | 'deepObject';

export type SchemaError = Pick<ErrorObject, 'instancePath' | 'keyword' | 'params' | 'message'>;

/** A compiled schema. If it returns false, `errors` has the first error, after those of its subschemas. */
export interface Validator {
  (data: unknown): boolean;
  errors?: readonly SchemaError[] | null;
}

/** A named value that is sent as text: a parameter, or a field of a form. */
export interface Field {
  readonly name: string;
  /** Absent for a field of a form. */
  readonly in?: ParameterLocation | 'body';
  readonly style: ParameterStyle;
  readonly explode: boolean;
  /** `json`: a parameter whose `content` is JSON, or a form field that is an object or contains nested values. */
  readonly shape: 'scalar' | 'array' | 'object' | 'json';
  /** Types of a scalar, or of an array's items: with `['integer', 'string']`, `1` becomes a number; `a` stays text. */
  readonly types: readonly ScalarType[];
  /** Types of an object's known properties: `{ age: ['integer'] }` for `filter[age]=1`. */
  readonly properties?: Readonly<Record<string, readonly ScalarType[]>>;
}

export interface Parameter extends Field {
  readonly in: ParameterLocation;
  readonly required: boolean;
  /** In paths only: matches all remaining segments, raw (`x-berth-greedy`). */
  readonly greedy?: true;
  readonly default?: unknown;
}

/** `kindOf` decides the kind of a media type. */
export type ContentKind = 'json' | 'text' | 'form' | 'binary';

/** One media type of a body. `mediaType` may be a range (`text/*`). */
export interface Content<Check = Validator> {
  readonly mediaType: string;
  readonly kind: ContentKind;
  /** The documented fields of a form. */
  readonly fields?: readonly Field[];
  /** Property in which the fields may be nested (`x-berth-unwrap`). Handlers get them flat. */
  readonly unwrap?: string;
  /** Names of those fields. None of them may be next to the `unwrap` property; other fields there are ignored. */
  readonly unwrapFields?: readonly string[];
  readonly validate?: Check;
}

export interface RequestBody<Check = Validator> {
  readonly required: boolean;
  readonly content: readonly Content<Check>[];
}

/** A documented response. Its `status` is a code such as `200`, a range such as `4XX`, or `default`. */
export interface DocumentedResponse<Check = Validator> {
  readonly status: string;
  /** Lowercase names of headers that the response must have. */
  readonly requiredHeaders?: readonly string[];
  readonly content: readonly Content<Check>[];
}

export interface Route<Check = Validator> {
  readonly operationId: string;
  readonly method: string;
  /** Path template with the server's base path, such as `/pets/{id}`. */
  readonly path: string;
  readonly parameters: readonly Parameter[];
  /** Validates `{ path, query, header, cookie }` against the parameter schemas. */
  readonly validateParameters?: Check;
  readonly body?: RequestBody<Check>;
  readonly responses: readonly DocumentedResponse<Check>[];
  /** Alternatives. Within one, all schemes must authenticate the caller. Empty for no authentication. */
  readonly security: readonly (readonly string[])[];
  /** Scopes by scheme, for each alternative. Absent if there are none. */
  readonly scopes?: readonly Readonly<Record<string, readonly string[]>>[];
  /** Whether request and response are streamed without parsing or validation (`x-berth-pass-through`). */
  readonly passThrough?: true;
}

export type SecurityScheme =
  | { readonly type: 'http'; readonly scheme: string }
  | { readonly type: 'apiKey'; readonly in: 'header' | 'query' | 'cookie'; readonly name: string }
  | { readonly type: 'oauth2' | 'openIdConnect' }
  | { readonly type: 'mutualTLS' };

/**
 * The route table of a document, which the runtime creates a router from.
 *
 * @typeParam Check what validates values. In the generator, the name of a validator
 */
export interface RouteTable<Check = Validator> {
  readonly title: string;
  /** The path of the document's first server, which each `route.path` includes. */
  readonly basePath?: string;
  readonly securitySchemes: Readonly<Record<string, SecurityScheme>>;
  readonly routes: readonly Route<Check>[];
}
