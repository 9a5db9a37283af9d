import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { get } from 'node:http';
import { expect, test } from 'vitest';
import { endpoints, findEndpoint } from '../src/control/endpoints.ts';
import { FAULT_FIELDS } from '../src/faults/fault.ts';
import { parseFaultFlag } from '../src/faults/parse-fault.ts';
import { createMock } from '../src/index.ts';
import { control, gateway } from './helpers/calls.ts';
import { upload } from './helpers/upload.ts';

const README = readFileSync(new URL('../README.md', import.meta.url), 'utf8');

/** Returns the rows of the table under a heading, cell by cell. */
function rowsOf(heading: string): string[][] {
  const section = README.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';
  return section
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) =>
      line
        .slice(2, -2)
        .split(' | ')
        .map((cell) => cell.trim()),
    );
}

const calls = rowsOf('Control API').map(([call = '', body = '']) => {
  const [method = '', target = ''] = call.replaceAll('`', '').split(' ');
  return { method, target, body: body.replaceAll('`', '') };
});

test('the control API table has every endpoint', () => {
  const found = calls.map(
    ({ method, target }) => findEndpoint(method, target.split('?')[0] as string).endpoint,
  );
  expect(new Set(found)).toEqual(new Set(endpoints));
  expect(found).toHaveLength(endpoints.length);
});

test('its examples work, in order', async () => {
  await using mock = await createMock();
  await upload(mock, 'reports/summary.txt', 'x');
  const logged = await gateway(mock, { path: '/v1/cloudrun/hello' });
  let snapshot: unknown;
  for (const { method, target, body } of calls) {
    if (target === 'requests/stream') {
      const [response] = await once(get(`${mock.url}/__mock/api/${target}`), 'response');
      expect(response.statusCode).toBe(200);
      response.destroy();
      continue;
    }
    const path = target.replace('{id}', String(logged.headers['x-request-id']));
    const sent = body === '' ? undefined : body.startsWith('{') ? JSON.parse(body) : snapshot;
    const { status, text, json } = await control(mock, method, path, { body: sent });
    expect([200, 204], `${method} ${path}: ${text}`).toContain(status);
    if (target === 'snapshot') snapshot = json;
    if (target === 'info')
      expect(json).toMatchObject({ url: mock.url, env: 'dev', sessions: [''] });
  }
});

test('the fault table has every field, and its examples are valid', () => {
  const examples = rowsOf('Faults').flatMap(([cell = '']) => cell.replaceAll('`', '').split(', '));
  const rules = examples.map((example) => parseFaultFlag('a', example));
  expect([...new Set(rules.flatMap(({ fault }) => Object.keys(fault)))]).toEqual(FAULT_FIELDS);
});

test('the rules for the command line are valid', () => {
  const flags = README.match(/--fault \S+/g) ?? [];
  expect(flags).toHaveLength(2);
  for (const flag of flags) parseFaultFlag('a', flag.slice('--fault '.length));
});
