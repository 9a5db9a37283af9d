import { createHash } from 'node:crypto';
import {
  createRouter,
  type Handler,
  type MultipartStream,
  type RouteTable,
} from '@berth/server-stubs/runtime';
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { generate } from '../generator/generate.ts';
import { loadGenerated } from './corpus/generated.ts';
import { send } from './support/send.ts';
import { serve } from './support/serve.ts';

const DOCUMENT = {
  openapi: '3.1.1',
  info: { title: 'Forms', version: '1' },
  paths: {
    '/albums': toPath(
      'addAlbum',
      { $ref: '#/components/schemas/Album' },
      {
        cover: { contentType: 'image/png, image/jpeg' },
        meta: { contentType: 'application/json' },
      },
    ),
    '/open': toPath('open', {
      type: 'object',
      properties: { count: { type: 'integer' } },
      additionalProperties: { type: 'integer' },
    }),
    '/either': toPath('either', {
      type: 'object',
      oneOf: [
        { required: ['url'], properties: { url: { type: 'string', format: 'uri' } } },
        {
          required: ['file'],
          properties: { file: { type: 'string', format: 'binary', minLength: 1 } },
        },
      ],
    }),
  },
  components: {
    schemas: {
      Album: {
        type: 'object',
        required: ['title', 'year', 'cover'],
        properties: {
          title: { type: 'string', minLength: 2 },
          year: { type: 'integer', minimum: 1900 },
          live: { type: 'boolean' },
          kind: { enum: ['single', 'album'] },
          tags: { type: 'array', maxItems: 2, items: { type: 'string', maxLength: 5 } },
          meta: { $ref: '#/components/schemas/Meta' },
          cover: { type: 'string', contentMediaType: 'image/png' },
          songs: { type: 'array', maxItems: 1, items: { type: 'string', format: 'binary' } },
          anything: {},
        },
        additionalProperties: false,
      },
      Meta: {
        type: 'object',
        required: ['rating'],
        properties: { rating: { type: 'number' } },
      },
    },
  },
};

function toPath(operationId: string, schema: object, encoding = {}) {
  const requestBody = { required: true, content: { 'multipart/form-data': { schema, encoding } } };
  const responses = { default: { description: '', content: { 'application/json': {} } } };
  return { post: { operationId, requestBody, responses } };
}

const list: Handler = async ({ body }: { body: MultipartStream }) => {
  const parts: unknown[] = [];
  for await (const part of body) {
    if (part.kind === 'field') parts.push([part.name, part.value]);
    else {
      const hash = createHash('sha256');
      let size = 0;
      for await (const chunk of part.body) {
        hash.update(chunk);
        size += chunk.length;
      }
      parts.push([part.name, part.mediaType, size, hash.digest('hex')]);
    }
  }
  return { status: 200, body: parts };
};

const sha256 = (text: string | Uint8Array) => createHash('sha256').update(text).digest('hex');
const PNG = new Blob(['png'], { type: 'image/png' });
const onError = vi.fn();

let table: RouteTable;
beforeAll(async () => {
  ({ table } = await loadGenerated(DOCUMENT));
});
let base: string;
beforeEach(async () => {
  const handlers = { addAlbum: list, open: list, either: list };
  base = await serve(createRouter(table, handlers, { onError }));
});

type Fields = readonly (readonly [name: string, value: string | Blob])[];

async function post(path: string, fields: Fields) {
  const form = new FormData();
  for (const [name, value] of fields) form.append(name, value);
  const response = await fetch(`${base}${path}`, { method: 'POST', body: form });
  return { status: response.status, json: JSON.parse(await response.text()) };
}

const ALBUM: Fields = [
  ['title', 'Blue'],
  ['year', '1971'],
];
const COVER: Fields = [['cover', PNG]];
const toTags = (...tags: string[]): Fields => tags.map((tag) => ['tags', tag]);

describe('parts of a form', () => {
  it('have the types of the document', async () => {
    const meta = new Blob(['{"rating":4.5}'], { type: 'application/json' });
    const { json } = await post('/albums', [
      ...ALBUM,
      ['live', 'false'],
      ['kind', 'album'],
      ['tags', 'folk'],
      ['tags', '70'],
      ['meta', meta],
      ['cover', PNG],
      ['anything', 'text'],
      ['anything', new Blob(['more'])],
    ]);
    expect(json).toEqual([
      ['title', 'Blue'],
      ['year', 1971],
      ['live', false],
      ['kind', 'album'],
      ['tags', 'folk'],
      ['tags', '70'],
      ['meta', { rating: 4.5 }],
      ['cover', 'image/png', 3, sha256('png')],
      ['anything', 'text'],
      ['anything', 'application/octet-stream', 4, sha256('more')],
    ]);
  });

  it('may omit the content type of JSON, and the name of a file', async () => {
    const bytes = Buffer.from([0xff, 0, 0x89]);
    const part = (head: string) => `--x\r\nContent-Disposition: form-data; ${head}\r\n\r\n`;
    const body = Buffer.concat([
      Buffer.from(`${part('name="title"')}Blue\r\n${part('name="year"')}1971\r\n`),
      Buffer.from(`${part('name="meta"')}{"rating":1}\r\n`),
      Buffer.from(
        '--x\r\nContent-Type: image/jpeg\r\nContent-Disposition: form-data; name="cover"',
      ),
      Buffer.from('\r\n\r\n'),
      bytes,
      Buffer.from('\r\n--x--\r\n'),
    ]);
    const { json } = await send(base, '/albums', {
      method: 'POST',
      headers: { 'content-type': 'multipart/form-data; boundary=x' },
      body,
    });
    expect((json as unknown[]).slice(2)).toEqual([
      ['meta', { rating: 1 }],
      ['cover', 'image/jpeg', 3, sha256(bytes)],
    ]);
  });

  it('stream files of any size', async () => {
    const bytes = Buffer.alloc(5_000_000, 'abcdefg');
    const big = new Blob([bytes], { type: 'image/jpeg' });
    const { json } = await post('/albums', [...ALBUM, ['cover', big]]);
    expect(json.at(-1)).toEqual(['cover', 'image/jpeg', bytes.length, sha256(bytes)]);
  });

  it.each<[string, Fields]>([
    ['body.cover is missing.', ALBUM],
    ['body.title must not have fewer than 2 characters.', [['title', 'B']]],
    ['body.year must be an integer.', [['year', 'x']]],
    ['body.year must be >= 1900.', [['year', '12']]],
    ['body.year', [['year', '9007199254740993']]],
    ['body.live must be a boolean.', [['live', 'yes']]],
    ['body.kind must be one of "single", "album".', [['kind', 'ep']]],
    ['body.tags[1] must not have more than 5 characters.', toTags('a', 'too long')],
    ['body.tags must not have more than 2 items.', [...ALBUM, ...toTags('a', 'b', 'c'), ...COVER]],
    [
      'body.songs must not have more than 1 items.',
      [...ALBUM, ['songs', PNG], ['songs', PNG], ...COVER],
    ],
    ['body.meta is not valid JSON: it cannot be parsed', [['meta', '{']]],
    ['body.meta.rating must be a number.', [['meta', '{"rating":"1"}']]],
    ['body.meta.rating is missing.', [['meta', '{}']]],
    ['body.titel is not a part of this form: leave it out.', [['titel', 'x']]],
    ['body.photo is not a part of this form: leave it out.', [['photo', PNG]]],
    ['body.year is sent more than once', [...ALBUM, ['year', '1972']]],
    [
      'body.cover must be of type image/png or image/jpeg, not image/gif.',
      [['cover', new Blob(['x'], { type: 'image/gif' })]],
    ],
    [
      'body.meta must be of type application/json, not text/csv.',
      [['meta', new Blob(['{}'], { type: 'text/csv' })]],
    ],
  ])('are rejected: %s', async (detail, fields) => {
    const { status, json } = await post('/albums', fields);
    expect({ status, detail: json.detail }).toEqual({
      status: 400,
      detail: expect.stringContaining(detail),
    });
    expect(json.errors).toHaveLength(1);
    expect(onError).not.toHaveBeenCalled();
  });

  it('are limited in size', async () => {
    const long = new Blob([`{"rating":1${' '.repeat(70_000)}}`], { type: 'application/json' });
    const { status, json } = await post('/albums', [['meta', long]]);
    expect({ status, detail: json.detail }).toEqual({
      status: 413,
      detail: 'The form has more than 65536 bytes in field meta.',
    });
  });

  it('of other names have the type of the additional properties', async () => {
    const good = await post('/open', [
      ['count', '1'],
      ['other', '2'],
      ['__proto__', '3'],
    ]);
    expect(good.json).toEqual([
      ['count', 1],
      ['other', 2],
      ['__proto__', 3],
    ]);
    const bad = await post('/open', [['other', 'x']]);
    expect(bad.json.detail).toBe('body.other must be an integer.');
  });

  it('belong to one of several forms', async () => {
    expect((await post('/either', [['url', 'urn:a']])).json).toEqual([['url', 'urn:a']]);
    const file = (
      await post('/either', [
        ['file', PNG],
        ['unknown', 'x'],
      ])
    ).json;
    expect(file).toEqual([['file', 'image/png', 3, sha256('png')]]);
    const neither = await post('/either', [['unknown', 'x']]);
    expect(neither.status).toBe(400);
  });
});

it('gives each part a type', () => {
  const types = generate(DOCUMENT).files.get('types.gen.ts') as string;
  expect(/MultipartStream<([^;]*)>;\n\}/.exec(types)?.[1]?.split(' | ')).toEqual([
    "FieldPart<'title', string>",
    "FieldPart<'year', number>",
    "FieldPart<'live', boolean>",
    "FieldPart<'kind', 'single'",
    "'album'>",
    "FieldPart<'tags', string>",
    "FieldPart<'meta', Meta>",
    "FilePart<'cover'>",
    "FilePart<'songs'>",
    "FieldPart<'anything'>",
    "FilePart<'anything'>",
  ]);
  expect(types).toContain(
    "MultipartStream<FieldPart<'count', number> | FieldPart<string, number>>",
  );
});
