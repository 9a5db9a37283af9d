import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { toClosedObjects, toTypes, withAllContent } from './to-types.ts';

describe('toClosedObjects', () => {
  it('drops the keyword where properties are named, at any depth', () => {
    const open = { properties: { a: { properties: {}, additionalProperties: true } } };
    expect(toClosedObjects([{ ...open, additionalProperties: true }])).toEqual([
      { properties: { a: { properties: {} } } },
    ]);
  });

  it('keeps free-form objects, schemas and false', () => {
    for (const schema of [
      { type: 'object', additionalProperties: true },
      { properties: {}, additionalProperties: false },
      { properties: {}, additionalProperties: { type: 'string' } },
    ]) {
      expect(toClosedObjects(schema)).toEqual(schema);
    }
  });

  it('keeps a property that is itself named additionalProperties', () => {
    const schema = { properties: { additionalProperties: { type: 'boolean' } } };
    expect(toClosedObjects(schema)).toEqual(schema);
  });

  it('does not change its argument', () => {
    const document = Object.freeze({ properties: {}, additionalProperties: true });
    toClosedObjects(document);
    expect(document.additionalProperties).toBe(true);
  });
});

describe('withAllContent', () => {
  it('appends the media types of x-berth-content to the content of their response', () => {
    const more = { 'text/event-stream': 1, '*/*': 2 };
    const document = { responses: [{ content: { 'text/plain': 0 }, 'x-berth-content': more }, 3] };
    expect(JSON.stringify(withAllContent(document))).toBe(
      JSON.stringify({ responses: [{ content: { 'text/plain': 0, ...more } }, 3] }),
    );
  });
});

const DOCUMENT = {
  openapi: '3.1.1',
  info: { title: 'T', version: '1.0.0' },
  paths: {
    '/files': {
      post: {
        operationId: 'putFile',
        responses: { 204: { description: 'Stored.' } },
      },
    },
  },
  components: {
    schemas: {
      File: {
        type: 'object',
        required: ['content'],
        properties: {
          content: { type: 'string', contentMediaType: 'application/octet-stream' },
          replace: { type: 'boolean', default: true },
          note: { type: 'string', contentMediaType: 'text/plain' },
        },
        additionalProperties: true,
      },
      Free: { type: 'object', additionalProperties: true },
    },
  },
};

describe('toTypes', () => {
  it('names paths, operations and components', async () => {
    const text = await toTypes(DOCUMENT);
    expect(text).toContain('export interface paths');
    expect(text).toContain('"/files"');
    expect(text).toContain('putFile: {');
    expect(text).toContain('Free: {');
  });

  it('turns binary strings, and only those, into Blob', async () => {
    const text = await toTypes(DOCUMENT);
    expect(text).toMatch(/content: Blob;/);
    expect(text).toMatch(/note\?: string;/);
  });

  it('keeps a field optional that has a default', async () => {
    expect(await toTypes(DOCUMENT)).toMatch(/replace\?: boolean;/);
  });

  it('closes objects that name their fields and leaves free-form ones open', async () => {
    const text = await toTypes(DOCUMENT);
    expect(text.match(/\[key: string\]: unknown/g)).toHaveLength(1);
    expect(text).toMatch(/Free: \{\s+\[key: string\]: unknown;\s+\}/);
  });

  it('is deterministic and does not modify the document', async () => {
    const before = structuredClone(DOCUMENT);
    expect(await toTypes(DOCUMENT)).toBe(await toTypes(DOCUMENT));
    expect(DOCUMENT).toEqual(before);
  });

  it.each([
    "it's",
    '`;hacked();`',
    '$' + '{hacked()}',
    '*/hacked();/*',
    '"];hacked();["',
    '\nhacked()\n',
    '\u2028hacked()\u2028',
    "\\';hacked();//",
    '__proto__',
  ])('writes the text %j of a document as plain text', async (text) => {
    const schema = {
      ...{ type: 'object', title: text, description: text, default: text, format: text },
      properties: { [text]: { enum: [text], const: text, description: text } },
    };
    const operation = {
      ...{ operationId: text, summary: text, description: text },
      parameters: [{ in: 'query', name: text, description: text, schema }],
      requestBody: { description: text, content: { [text]: { schema } } },
      responses: {
        200: {
          description: text,
          headers: { [text]: { description: text, schema } },
          content: { [`text/*${text}`]: { schema } },
        },
      },
    };
    const types = await toTypes({
      ...DOCUMENT,
      info: { title: text, version: text, description: text },
      paths: { [`/a${text}`]: { description: text, get: operation } },
      components: { schemas: { [text]: schema } },
    });
    const options = { reportDiagnostics: true, compilerOptions: { target: 99, module: 99 } };
    const { outputText, diagnostics } = ts.transpileModule(types, options);
    expect(diagnostics).toEqual([]);
    expect(outputText).toBe('export {};\n');
  });

  it('refuses a document that is not OpenAPI', async () => {
    await expect(toTypes({ swagger: '2.0', info: {}, paths: {} })).rejects.toThrow();
  });
});
