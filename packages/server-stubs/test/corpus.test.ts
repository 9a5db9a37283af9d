import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { describe, expect, it } from 'vitest';
import { loadRoutes } from '../generator/document.ts';
import { asObject, follow, type JsonObject } from '../generator/json.ts';
import { InvalidDocumentError, operationsOf } from '../generator/openapi.ts';
import type { RouteTable, Validator } from '../src/runtime/index.ts';
import { features, readPublicDocuments } from './corpus/documents.ts';
import { loadGenerated } from './corpus/generated.ts';
import { createRandom, pick } from './corpus/random.ts';
import { createValue } from './corpus/values.ts';

const SEED = Number(process.env.SEED ?? 20_261_128);
/** For each document. */
const VALUES = Number(process.env.VALUES ?? 100);

/** What is not checked or not served in any of the documents. */
const WARNINGS = new RegExp(
  [
    'twice|not served|No operation|no valid security scheme|The style \\w+ is not supported|The values of "\\w+" are not checked',
    'does not define the path parameter|is not expected here|A \\$dynamicRef is not checked',
    'Expected type `number` but got `boolean`|The default of [\\w.-]+ is not used',
  ].join('|'),
);

/** The documents with the most kinds of schemas. */
const WITH_SCHEMAS = /features|galaxy|3.1[/](?:schema-types|polymorphism|train)|3.0[/]star-trek/;

/** Ajv reads `$id` and dynamic references. Annotations decide what is required, which has its own tests. */
const NOT_COMPARED = /^(?:\$id|\$dynamicRef|\$dynamicAnchor|readOnly|writeOnly)$/;

const documents = readPublicDocuments();

describe(`public documents (SEED=${SEED})`, () => {
  it('are accepted, unless openapi-typescript rejects them as well', async () => {
    expect(documents.size).toBeGreaterThan(55);
    const rejected: string[] = [];
    for (const [name, document] of documents) {
      try {
        for (const { message } of (await loadRoutes(document)).warnings) {
          expect([name, message]).toEqual([name, expect.stringMatching(WARNINGS)]);
        }
      } catch (error) {
        if (!(error instanceof InvalidDocumentError)) throw error;
        rejected.push(name);
      }
    }
    expect(rejected).toEqual(['3.0/discriminators.json']);
  });

  it('give validators with the results of Ajv, in advance and at run time', async () => {
    const random = createRandom(SEED);
    const all = new Map(documents).set('features', features);
    let count = 0;
    let valid = 0;
    for (const [name, document] of all) {
      if (!WITH_SCHEMAS.test(name)) continue;
      const plain = JSON.parse(JSON.stringify(document), (key, value) => {
        return NOT_COMPARED.test(key) ? undefined : value;
      });
      const { routes, document: root } = await loadRoutes(plain);
      const [first, second] = [routes, (await loadGenerated(plain)).table];
      const bodies = bodiesOf(first, root).map((body, index) => ({ ...body, index }));
      const others = bodiesOf(second, root);
      const compile = createReference(root);
      for (let round = 0; round < VALUES; round += 1) {
        const { schema, validate, index } = pick(bodies, random) as (typeof bodies)[number];
        const value = createValue(schema, root, random);
        const expected = compile(schema)(value);
        const results = [validate, others[index]?.validate].map((each) => each?.(value) ?? true);
        const place = { name, schema, value };
        expect({ ...place, results }).toEqual({ ...place, results: [expected, expected] });
        count += 1;
        valid += expected ? 1 : 0;
      }
    }
    expect(valid).toBeGreaterThan(count / 4);
    expect(count - valid).toBeGreaterThan(count / 4);
  });
});

/** Ajv on the document as it is, without a copy of its schemas. */
function createReference(root: object): (schema: unknown) => Validator {
  const ajv = new Ajv2020({
    strict: false,
    logger: false,
    validateSchema: false,
    inlineRefs: false,
    unicodeRegExp: false,
    multipleOfPrecision: 6,
  });
  addFormats.default(ajv);
  ajv.addSchema({ ...root, $id: 'document' });
  return (schema) => {
    const text = JSON.stringify(schema).replaceAll('"$ref":"#', '"$ref":"document#');
    return ajv.compile(JSON.parse(text)) as Validator;
  };
}

/** The schemas of all validated bodies, with their validators. */
function bodiesOf({ routes }: RouteTable, root: JsonObject) {
  return operationsOf(root).flatMap(({ operation: { operationId, requestBody, responses } }) => {
    const route = routes.find((each) => each.operationId === operationId);
    const documented = (route?.responses ?? []).map(({ status, content }) => {
      return { value: asObject(responses)[status], content };
    });
    const bodies = [{ value: requestBody, content: route?.body?.content ?? [] }, ...documented];
    return bodies.flatMap(({ value, content }) => {
      const media = asObject(follow(root, value).content);
      return content
        .filter(({ validate }) => validate !== undefined)
        .map(({ mediaType, validate }) => ({
          schema: asObject(media[mediaType]).schema,
          validate,
        }));
    });
  });
}
