import type { Readable } from 'node:stream';
import type { SecurityHandler } from './options.ts';
import type { Call, HandlerResponse, RawBody } from './portable/call.ts';

/** The handlers of a document by operationId, from its types as openapi-typescript writes them. */
export type TypedHandlers<Operations, Security = unknown, Principals = unknown> = {
  readonly [Id in keyof Operations]?: (
    input: TypedInput<Operations[Id]>,
    call: Call<SecurityOf<Security, Id, Principals>>,
  ) => TypedOutput<Operations[Id]> | Promise<TypedOutput<Operations[Id]>>;
};

/** The input of a handler: parameters by location, and the body with its media type. */
export type TypedInput<Operation> = ParameterInput<Operation> & BodyInput<Operation>;

/** What a handler may return. `4XX` covers every 4xx status, and `default` all that are not documented. */
export type TypedOutput<Operation> = Operation extends { responses: infer Responses }
  ? {
      [Key in keyof Responses]: Response<StatusOf<Key, keyof Responses>, Responses[Key]>;
    }[keyof Responses]
  : never;

/** A value of a schema in a response: without the properties that are `writeOnly`. */
export type InResponse<Value> = Without<Value, '$write', '$read'>;

/** A value of a schema in a request: without the properties that are `readOnly`. */
export type InRequest<Value> = Without<Value, '$read', '$write'>;

/** openapi-typescript wraps the type of an annotated property: `{ $read: Value }` if it is `readOnly`. */
type Annotated<Key extends string, Value> = { readonly [Name in Key]: Value };

type Without<Value, Hidden extends string, Shown extends string> =
  Value extends Annotated<Shown, infer Inner>
    ? Without<Inner, Hidden, Shown>
    : Value extends readonly unknown[]
      ? { [Index in keyof Value]: Without<Value[Index], Hidden, Shown> }
      : Value extends object
        ? {
            [Name in keyof Value as Value[Name] extends Annotated<Hidden, unknown> | undefined
              ? never
              : Name]: Without<Value[Name], Hidden, Shown>;
          }
        : Value;

/** The principals of an operation. A scheme that not all alternatives include is optional. */
type SecurityOf<Security, Id, Principals> = Id extends keyof Security
  ? {
      [Scheme in keyof Security[Id]]: Scheme extends keyof Principals
        ? Principals[Scheme]
        : unknown;
    }
  : Record<never, never>;

/** What security handlers return for callers that they accept, by scheme. */
export type PrincipalsOf<SecurityHandlers> = {
  [Scheme in keyof SecurityHandlers]: SecurityHandlers[Scheme] extends SecurityHandler<
    infer Principal
  >
    ? Principal
    : never;
};

type ParameterInput<Operation> = Operation extends { parameters: infer Places }
  ? {
      [Place in keyof Places as [Places[Place]] extends [undefined] ? never : Place]-?: InRequest<
        Exclude<Places[Place], undefined>
      >;
    }
  : unknown;

type BodyInput<Operation> = Operation extends { requestBody: { content: infer Content } }
  ? RequestContent<Content>
  : Operation extends { requestBody?: { content: infer Content } | undefined }
    ? RequestContent<Content> | { contentType: undefined; body: undefined }
    : unknown;

type RequestContent<Content> = {
  [Type in keyof Content]: { contentType: Type; body: BodyOf<Type, Content[Type]> };
}[keyof Content];

type BodyOf<Type, Value> = {
  json: InRequest<Value>;
  form: InRequest<Value>;
  text: string;
  binary: Readable;
}[KindOf<Type, Value>];

/** The kind of a documented media type and the type of its schema. `kindOf` is the run-time equivalent. */
type KindOf<MediaType, Value> =
  LowercaseOf<MediaType> extends JsonType
    ? 'json'
    : LowercaseOf<MediaType> extends `application/x-www-form-urlencoded${string}`
      ? 'form'
      : LowercaseOf<MediaType> extends `${'*' | 'application'}/*${string}`
        ? KindOfRange<Value>
        : LowercaseOf<MediaType> extends `text/${string}` | XmlType
          ? 'text'
          : 'binary';

type KindOfRange<Value> = [unknown] extends [Value]
  ? 'binary'
  : [Value] extends [string]
    ? 'binary'
    : 'json';

type LowercaseOf<Type> = Type extends string ? Lowercase<Type> : never;
type JsonType = `${'application/' | `${string}+`}json${'' | `${';' | ' '}${string}`}`;
type XmlType = `application/${'' | `${string}+`}xml${string}`;

type Response<Status, Documented> = [Status] extends [204 | 304]
  ? Bodiless<Status>
  : Documented extends { content?: infer Content }
    ? [Content] extends [undefined]
      ? Bodiless<Status>
      : {
          [Type in keyof Content]: Head<Status> &
            ContentTypeOf<Type, keyof Content> &
            ResponseBody<Type, Content[Type]>;
        }[keyof Content]
    : never;

type Bodiless<Status> = Head<Status> & { body?: undefined };

type Head<Status> = { status: Status } & Pick<HandlerResponse, 'headers'>;

type ResponseBody<Type, Value> =
  KindOf<Type, Value> extends 'json' ? { body: InResponse<Value> } : { body: RawBody };

/** Required if the router cannot infer it: `'text/csv'` beside others → `{ contentType: 'text/csv' }`. */
type ContentTypeOf<Type, All> = [All] extends [Type]
  ? { contentType?: MatchOf<Type> | undefined }
  : Type extends 'application/json'
    ? { contentType?: Type | undefined }
    : { contentType: MatchOf<Type> };

/** A range allows any type: `'text/*'` → `string`, `'text/csv'` → `'text/csv'`. */
type MatchOf<Type> = Type extends `${string}*${string}` ? string : Type;

/** Statuses that a key covers, but no more specific one: `'4XX'` beside `404` → `400 | … | 403 | 405 | … | 499`. */
type StatusOf<Key, All> = Key extends number
  ? Key
  : Key extends 'default'
    ? Exclude<AnyStatus, Extract<All, number> | StatusIn<All>>
    : Exclude<StatusIn<Key>, All>;
type StatusIn<Range> = Range extends `${infer First extends number}XX`
  ? NumberOf<`${First}${Digit}${Digit}`>
  : never;
type AnyStatus = StatusIn<`${1 | 2 | 3 | 4 | 5}XX`>;
type NumberOf<Text> = Text extends `${infer Value extends number}` ? Value : never;
type Digit = 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9;
