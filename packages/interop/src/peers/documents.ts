import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Converter } from '@apiture/openapi-down-convert';
import { isObject, type JsonObject, locate } from '../../../conformance/src/contract/openapi.ts';
import { createGenerator } from '../../../conformance/src/document/generate.ts';
import { type ApiDocument, loadDocument } from '../../../conformance/src/document/load-document.ts';
import { listOperations, type Operation } from '../../../conformance/src/document/plan.ts';

/** The seed of every generated value. */
export const SEED = 1;

/** Other people's documents, as npm packages carry them. */
export const DOCUMENTS = {
  petstore: { title: 'Swagger Petstore', source: '@readme/oas-examples/3.0/json/petstore.json' },
  links: { title: 'Link Example', source: '@readme/oas-examples/3.0/json/link-example.json' },
  galaxy: { title: 'Scalar Galaxy', source: '@scalar/galaxy/3.1.json' },
  'train-travel': {
    title: 'Train Travel',
    source: '@readme/oas-examples/3.1/json/train-travel.json',
  },
  'readme-legacy': {
    title: 'ReadMe, version 1',
    source: '@readme/oas-examples/3.0/json/readme-legacy.json',
  },
  readme: { title: 'ReadMe, version 2', source: '@readme/oas-examples/3.1/json/readme.json' },
} as const;

export type DocumentId = keyof typeof DOCUMENTS;

/** A document as every tool gets it. */
export interface Subject {
  readonly id: DocumentId;
  /** The document without `servers` and `security`: the same paths without credentials for each tool. */
  readonly file: string;
  /** The same as OpenAPI 3.0, which is the latest that Dredd reads. */
  readonly file30: string;
  /** The folder of both. */
  readonly folder: string;
  /** The document with Ajv, which shares no code with the tools that are compared. */
  readonly document: ApiDocument;
  readonly operations: readonly Operation[];
}

const FOLDER = join(import.meta.dirname, '../../generated/peers');

export async function prepareSubject(id: DocumentId): Promise<Subject> {
  const source = fileURLToPath(import.meta.resolve(DOCUMENTS[id].source));
  const plain: JsonObject = omit(JSON.parse(await readFile(source, 'utf8')));
  const folder = join(FOLDER, id);
  const file = join(folder, 'api.json');
  const file30 = join(folder, 'api.openapi30.json');
  await mkdir(folder, { recursive: true });
  await writeFile(file, JSON.stringify(plain));
  const document = await loadDocument(file, 'document');
  const operations = listOperations(document);
  const is30 = String(plain.openapi).startsWith('3.0');
  const converted = is30
    ? plain
    : new Converter(structuredClone(plain), { convertSchemaComments: false }).convert();
  addExamples(converted as JsonObject, document, operations);
  await writeFile(file30, JSON.stringify(converted));
  return { id, file, file30, folder, document, operations };
}

/** Gives each required parameter an example, without which Dredd refuses the document. */
function addExamples(
  root: JsonObject,
  document: ApiDocument,
  operations: readonly Operation[],
): void {
  for (const operation of operations) {
    const [draft] = createGenerator(document, operation, SEED).valid(1);
    const item = Object(Object(root.paths)[operation.path]);
    const { parameters: own = [] } = Object(item[operation.method.toLowerCase()]);
    for (const node of [...own, ...(item.parameters ?? [])]) {
      const { value } = locate(root, node, '');
      if (!isObject(value) || 'example' in value || 'examples' in value) continue;
      const example = draft?.parameters[`${value.in} ${value.name}`];
      if (value.required === true && example !== undefined) value.example = example;
    }
  }
}

/** Removes `servers` and `security` from a document, its paths and its operations. */
function omit(document: JsonObject): JsonObject {
  const items = Object.values(document.paths as JsonObject);
  const operations = items.flatMap((item) => Object.values<unknown>(Object(item)));
  for (const node of [document, ...items, ...operations].filter(isObject)) {
    delete node.servers;
    delete node.security;
  }
  return document;
}
