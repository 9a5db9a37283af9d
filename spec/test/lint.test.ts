import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { redocly } from '../scripts/redocly.ts';

const SPEC = join(import.meta.dirname, '..');
const { rules } = parse(readFileSync(join(SPEC, 'redocly.yaml'), 'utf8'));

// biome-ignore lint/suspicious/noExplicitAny: the faults reach into every corner of a document
type Document = any;

const invoke = (document: Document) => document.paths['/v1/cloudrun/{name}/{anyPath}'].get;

/** One violation for each document rule in redocly.yaml. */
const FAULTS: Record<string, (document: Document) => void> = {
  'no-unused-components': ({ components }) => {
    components.schemas.Stray = { description: 'Nobody refers to it.', type: 'string' };
  },
  'no-invalid-schema-examples': ({ components }) => {
    components.schemas.ServiceName.examples = ['-'];
  },
  'no-invalid-media-type-examples': ({ components }) => {
    components.examples.ServiceNotFound.value = { code: 7 };
  },
  'no-invalid-parameter-examples': ({ components }) => {
    components.parameters.AnyPath.example = 7;
  },
  'no-required-schema-properties-undefined': ({ components }) => {
    components.schemas.GatewayError.required = ['code', 'message', 'requestId', 'other'];
  },
  'no-schema-type-mismatch': ({ components }) => {
    components.schemas.GatewayErrorCode.properties = {};
  },
  'no-duplicated-tag-names': ({ tags }) => {
    tags.push({ ...tags[0] });
  },
  'operation-singular-tag': ({ paths, tags }) => {
    tags.push({ name: 'Others', description: 'Another tag.' });
    paths['/v1/cloudrun/{name}'].get.tags = ['Hosted services', 'Others'];
  },
  'operation-description': (document) => {
    delete invoke(document).description;
  },
  'operation-tag-defined': ({ paths }) => {
    paths['/v1/cloudrun/{name}'].post.tags = ['Nowhere'];
  },
  'parameter-description': ({ components }) => {
    delete components.parameters.LastEventId.description;
  },
  'tag-description': ({ tags }) => {
    delete tags[0].description;
  },
  'path-params-defined': ({ paths }) => {
    paths['/v1/cloudrun/{name}'].parameters = [];
  },
  'scalar-property-missing-example': ({ components }) => {
    delete components.schemas.GatewayError.properties.message.examples;
  },
  'response-contains-header': ({ components }) => {
    delete components.responses.ServiceNotFound.headers['X-Request-Id'];
  },
  'rule/summary-is-a-sentence-case-phrase': (document) => {
    invoke(document).summary = 'Call A Path.';
  },
  'rule/example-summary-is-a-sentence-case-phrase': ({ components }) => {
    components.examples.Text.summary = 'text of the service';
  },
  'rule/schema-is-described': ({ components }) => {
    delete components.schemas.GatewayErrorCode.description;
  },
  'rule/header-is-described': ({ components }) => {
    delete components.headers.RetryAfter.description;
  },
};

/** `component-name-unique` compares files, and a bundle is a single file. */
const UNTOUCHED = ['component-name-unique'];

it('has a fault for every rule', () => {
  expect([...Object.keys(FAULTS), ...UNTOUCHED].toSorted()).toEqual(Object.keys(rules).toSorted());
});

it('fails for each of them', async () => {
  const document = JSON.parse(readFileSync(join(SPEC, 'generated/gateway.v1.gen.json'), 'utf8'));
  for (const breakIt of Object.values(FAULTS)) breakIt(document);
  const file = join(mkdtempSync(join(tmpdir(), 'berth-lint-')), 'broken.json');
  writeFileSync(file, JSON.stringify(document));
  const { exitCode, stdout } = await redocly('lint', file, '--format=json', '--max-problems=200');
  const problems: { ruleId: string; severity: string }[] = JSON.parse(stdout).problems;
  const red = problems.filter(({ severity }) => severity === 'error').map(({ ruleId }) => ruleId);
  expect(exitCode).toBe(1);
  expect([...new Set(red)]).toEqual(expect.arrayContaining(Object.keys(FAULTS)));
});
