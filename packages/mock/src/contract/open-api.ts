/** The parts of an OpenAPI document that the mock reads. */
export interface OpenApiDocument {
  info: { title: string; version: string };
  paths: Record<string, PathItem>;
}

interface PathItem {
  parameters?: Parameter[];
  get?: OperationObject;
  post?: OperationObject;
}

export interface OperationObject {
  operationId: string;
  parameters?: Parameter[];
  requestBody?: { content: Record<string, MediaType> };
  responses: Record<string, { content?: Record<string, MediaType> }>;
}

interface MediaType {
  schema: Schema;
  examples?: Record<string, object>;
}

export interface Parameter {
  name: string;
  in: string;
  schema: Schema;
  'x-berth-greedy'?: boolean;
}

export interface Schema {
  type?: string;
  properties?: Record<string, Schema>;
  items?: Schema;
  oneOf?: Schema[];
  examples?: unknown[];
  'x-berth-unwrap'?: string;
  'x-berth-item-pattern'?: string;
}

/** Methods that the documents describe. HEAD and OPTIONS are derived from them. */
export const METHODS = ['get', 'post'] as const;
export type Method = (typeof METHODS)[number];
