import type {
  Content,
  ContentKind,
  Parameter,
  SecurityScheme,
} from '../../src/runtime/route-table.ts';
import type { Pointer } from '../old/document.ts';
import type { Schema } from '../schema/schema.ts';
import type { SchemaStore } from '../schema/schema-store.ts';

export interface Model {
  readonly title: string;
  readonly securitySchemes: Readonly<Record<string, SecurityScheme>>;
  readonly operations: readonly Operation[];
  readonly store: SchemaStore;
}

export interface Operation {
  readonly operationId: string;
  readonly pointer: Pointer;
  readonly method: string;
  readonly path: string;
  readonly description: string;
  readonly deprecated: boolean;
  readonly passThrough: boolean;
  readonly parameters: readonly ParameterModel[];
  readonly body: BodyModel | undefined;
  readonly responses: readonly ResponseModel[];
  readonly security: readonly (readonly string[])[];
  readonly scopes: readonly Readonly<Record<string, readonly string[]>>[];
}

export interface ParameterModel {
  readonly parameter: Parameter;
  readonly schema: Schema;
  readonly pointer: Pointer;
  readonly description: string | undefined;
  readonly deprecated: boolean;
}

export interface BodyModel {
  readonly required: boolean;
  readonly unwrap?: string | undefined;
  /** Names of fields that must not appear next to `unwrap`. */
  readonly unwrapFields?: readonly string[];
  readonly contents: readonly ContentModel[];
}

export interface ContentModel {
  readonly mediaType: string;
  readonly kind: ContentKind;
  readonly fields?: Content['fields'];
  readonly additional?: Content['additional'];
  readonly schema?: Schema | undefined;
  readonly pointer: Pointer;
}

export interface ResponseModel {
  readonly status: string;
  readonly description: string | undefined;
  readonly headers: readonly HeaderModel[];
  readonly contents: readonly ContentModel[];
}

export interface HeaderModel {
  readonly name: string;
  readonly required: boolean;
  readonly description: string | undefined;
}
