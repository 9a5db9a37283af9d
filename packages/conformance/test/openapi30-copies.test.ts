import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import gateway from '@berth/spec/gateway.v1.json' with { type: 'json' };
import storage from '@berth/spec/storage.v2.json' with { type: 'json' };
import { describe, expect, test } from 'vitest';
import { toOpenapi30 } from '../scripts/openapi30/to-openapi30.ts';
import { documents } from '../src/contract/documents.ts';
import {
  APIS,
  dereference,
  type OpenapiDocument,
  type RequestBody,
} from '../src/contract/openapi.ts';
import { findProvocation, listDocumented } from '../src/contract/operations.ts';
import { compileTransactions } from './support/compile-transactions.ts';

const sources = { gateway, storage } as unknown as Record<string, OpenapiDocument>;

describe.each(APIS)('the OpenAPI 3.0 copy of %s', (api) => {
  const { name, document, copy } = documents[api];

  test('is valid OpenAPI 3.0', async () => {
    const path = (file: string) => fileURLToPath(new URL(`../${file}`, import.meta.url));
    const file = path(`src/generated/${name}.openapi30.gen.json`);
    const lint = ['lint', '--extends=spec', '--format=json', file];
    const { stdout } = await promisify(execFile)(path('node_modules/.bin/redocly'), lint, {
      env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
    });
    expect(copy.openapi).toMatch(/^3\.0\./);
    expect(JSON.parse(stdout)).toMatchObject({ totals: { errors: 0, warnings: 0 } });
  });

  test('matches the output of the generator', () => {
    const generated = toOpenapi30(sources[api] as OpenapiDocument, api);
    const { 'x-generated': _, ...written } = copy as typeof copy & { 'x-generated': string };
    expect(written).toEqual(JSON.parse(JSON.stringify(generated)));
  });

  test('causes no Dredd warnings', async () => {
    expect((await compileTransactions(copy)).annotations).toEqual([]);
  });

  test('Dredd runs every documented response, unless it is left out with a reason', async () => {
    const { transactions } = await compileTransactions(copy);
    const driven = transactions.map(({ origin, response }) => {
      const contentType = response.headers.find((header) => header.name === 'Content-Type')?.value;
      return [origin.actionName, response.status, contentType].join(' ');
    });
    const leftOut = copy['x-berth-left-out'].map((entry) =>
      [entry.operationId, entry.status, entry.contentType, entry.example].join(' '),
    );
    for (const entry of listDocumented(document)) {
      const { operationId, status, contentType, examples } = entry;
      const copyStatus = findProvocation({ api, status })?.copyStatus ?? status;
      const isDriven = driven.includes([operationId, copyStatus, contentType].join(' '));
      const whole = leftOut.includes([operationId, status, contentType, undefined].join(' '));
      expect({ operationId, status, contentType, in: Number(isDriven) + Number(whole) }).toEqual({
        operationId,
        status,
        contentType,
        in: 1,
      });
      for (const example of isDriven ? examples.slice(1) : []) {
        expect(leftOut).toContain([operationId, status, contentType, example].join(' '));
      }
    }
  });

  test('sends the first example of each request, and lists the others', async () => {
    const left = copy['x-berth-left-out'].filter(({ requestExample }) => requestExample);
    for (const { operation, operationId } of listDocumented(document)) {
      const body = operation.requestBody;
      const content = body && dereference<RequestBody>(document, body, '').value.content;
      for (const media of Object.values(content ?? {})) {
        for (const requestExample of Object.keys(media.examples ?? {}).slice(1)) {
          expect(left).toContainEqual(expect.objectContaining({ operationId, requestExample }));
        }
      }
    }
  });
});

test('lists the transactions', async () => {
  const lines: string[] = [];
  for (const api of APIS) {
    const { transactions } = await compileTransactions(documents[api].copy);
    for (const { origin, request, response } of transactions) {
      const { value } = response.headers.find((header) => header.name === 'Content-Type') ?? {};
      lines.push([api, origin.actionName, request.method, response.status, value].join(' '));
    }
    for (const left of documents[api].copy['x-berth-left-out']) {
      const { operationId, status, contentType, example, requestExample, reason } = left;
      const place = [operationId, status, contentType, example ?? requestExample];
      lines.push([api, 'left out', ...place.filter(Boolean)].join(' ').concat(`: ${reason}`));
    }
  }
  await expect(lines.join('\n').concat('\n')).toMatchFileSnapshot('transactions.txt');
});

test('a response that Dredd does not understand causes a warning', async () => {
  const { copy } = documents.storage;
  const broken = structuredClone(copy);
  const [path] = Object.values(broken.paths);
  Object.assign(path?.post?.responses['200'] ?? {}, { links: {} });
  expect((await compileTransactions(broken)).annotations).not.toEqual([]);
});
