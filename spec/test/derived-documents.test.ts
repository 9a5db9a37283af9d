import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { Parser } from '@asyncapi/parser';
import { describe, expect, it } from 'vitest';
import { DOCUMENTS } from '../scripts/generate/bundle.ts';
import { redocly } from '../scripts/redocly.ts';

const SPEC = join(import.meta.dirname, '..');

function read(name: string) {
  return JSON.parse(readFileSync(join(SPEC, `generated/${name}.gen.json`), 'utf8'));
}

/** JSON Pointers of the values that differ between two documents. */
function* diff(before: unknown, after: unknown, path = ''): Generator<string> {
  if (isDeepStrictEqual(before, after)) return;
  if (!isObject(before) || !isObject(after)) return yield path;
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
    yield* diff(before[key], after[key], `${path}/${key.replaceAll('/', '~1')}`);
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

describe('OpenAPI 3.2', () => {
  it.each(DOCUMENTS)('%s is valid for the linter of the contract', async (name) => {
    const file = join(SPEC, `generated/${name}.openapi-3.2.gen.json`);
    const { exitCode, stdout } = await redocly('lint', file, '--format=json');
    expect(JSON.parse(stdout)).toMatchObject({ totals: { errors: 0, warnings: 0 } });
    expect(exitCode).toBe(0);
  });

  it('of the gateway differs only in what 3.2 describes better', () => {
    const [before, after] = [read('gateway.v1'), read('gateway.v1.openapi-3.2')];
    const operations = Object.entries<object>(before.paths).flatMap(([path, item]) =>
      ['get', 'post']
        .filter((method) => method in item)
        .map((method) => `/paths/${path.replaceAll('/', '~1')}/${method}/parameters`),
    );
    expect([...diff(before, after)].toSorted()).toEqual(
      [
        '/openapi',
        '/servers',
        ...operations,
        '/components/schemas/ServiceEvent',
        '/components/parameters/AnyPath/allowReserved',
        '/components/parameters/Query',
        '/components/responses/ServiceResponse/content/text~1event-stream',
        '/components/responses/ServiceResponse/content/*~1*',
        '/components/responses/ServiceResponse/x-berth-content',
      ].toSorted(),
    );
  });

  it('of the storage API only names the servers', () => {
    const found = diff(read('storage.v2'), read('storage.v2.openapi-3.2'));
    expect([...found].toSorted()).toEqual(['/openapi', '/paths/~1/servers', '/servers']);
  });
});

describe('AsyncAPI', () => {
  const text = readFileSync(join(SPEC, 'generated/gateway.v1.asyncapi.gen.json'), 'utf8');
  const parser = new Parser();
  const find = async (document: string) => {
    const { diagnostics } = await parser.parse(document);
    return diagnostics.filter(({ severity }) => severity < 2).map(({ code }) => code);
  };

  it('is valid for its own parser, which detects errors', async () => {
    expect(await find(text)).toEqual([]);
    expect(await find(text.replaceAll('"action": "send"', '"action": "sent"'))).not.toEqual([]);
  });

  it('has a channel for each operation with WebSockets or events', () => {
    const { paths } = read('gateway.v1.openapi-3.2');
    const operations = Object.values<object>(paths).flatMap((item) =>
      Object.entries(item).filter(([method]) => method === 'get' || method === 'post'),
    );
    const names = operations.flatMap(([, { operationId, ...operation }]) => [
      ...(operation['x-berth-websocket'] ? [`${operationId}.socket`] : []),
      `${operationId}.events`,
    ]);
    const { channels } = JSON.parse(text);
    expect(names).toHaveLength(6);
    expect(Object.keys(channels).toSorted()).toEqual(names.toSorted());
  });
});

it('offers existing files of the package for download, which it also exports', () => {
  const { exports } = createRequire(import.meta.url)('../package.json');
  const files = read('downloads').downloads.map(({ file }: { file: string }) => file);
  for (const file of files) expect(existsSync(join(SPEC, file)), file).toBe(true);
  const documents = files.filter((file: string) => !file.includes('/workflows/'));
  expect(Object.values(exports)).toEqual(
    expect.arrayContaining(documents.map((file: string) => `./${file}`)),
  );
});
