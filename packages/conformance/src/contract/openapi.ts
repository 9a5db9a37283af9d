/** The parts of an OpenAPI document that the suite reads. */
export interface OpenapiDocument {
  openapi: string;
  info: { title: string; version: string };
  paths: Record<string, PathItem>;
  components: Record<string, unknown>;
}

export type PathItem = { parameters?: (Parameter | Reference)[] } & Partial<
  Record<Method, Operation>
>;

export const METHODS = ['get', 'post', 'put', 'patch', 'delete', 'head', 'options'] as const;
export type Method = (typeof METHODS)[number];

export interface Reference {
  $ref: string;
}

export interface Operation {
  operationId: string;
  description?: string;
  parameters?: (Parameter | Reference)[];
  requestBody?: RequestBody | Reference;
  responses: Record<string, ResponseObject | Reference>;
}

export interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header' | 'cookie';
  required?: boolean;
  description?: string;
  example?: unknown;
  schema?: object;
}

export interface RequestBody {
  description?: string;
  content: Record<string, MediaType>;
}

export interface ResponseObject {
  description: string;
  headers?: Record<string, Header | Reference>;
  content?: Record<string, MediaType>;
}

export interface Header {
  required?: boolean;
  schema?: object;
}

export interface MediaType {
  schema?: object;
  example?: unknown;
  examples?: Record<string, { value: unknown } | Reference>;
}
