import { join } from 'node:path';
import contract from '@berth/spec/contract.json' with { type: 'json' };
import defaults from '@berth/spec/defaults.json' with { type: 'json' };
import gateway from '@berth/spec/gateway.v1.json' with { type: 'json' };
import storage from '@berth/spec/storage.v2.json' with { type: 'json' };
import {
  constant,
  type ErrorRow,
  toErrorTable,
  writeGenerated,
} from '../../../spec/scripts/codegen.ts';
import { generate } from '../generator/generate.ts';
import { bundleAjvHelpers } from './bundle-ajv-helpers.ts';

/** The limits in `spec/defaults/limits.yaml` that the routers and the engine enforce. */
const LIMITS = [
  ...(['gatewayBodyBytes', 'storageBodyBytes', 'batchItems', 'uploadBytes', 'pathBytes'] as const),
  ...(['grantSeconds', 'linkSeconds', 'linkMinSeconds', 'linkMaxSeconds'] as const),
  ...(['clockWindowSeconds', 'uploadFormBytes', 'grantUploads'] as const),
] as const;

await Promise.all([
  write('runtime/generated/ajv-helpers.gen.ts', await bundleAjvHelpers()),
  writeStubs('gateway.v1', gateway),
  writeStubs('storage.v2', storage),
  write('generated/errors.gen.ts', toErrorsModule()),
  write('generated/contract.gen.ts', toContractModule()),
]);

async function writeStubs(name: 'gateway.v1' | 'storage.v2', document: object): Promise<void> {
  const { files } = generate(document, { runtime: '../../runtime/index.ts' });
  for (const [file, content] of files) {
    // Validators are also used in pages, which have no Node.js modules.
    const runtime = file.endsWith('-validators.gen.ts') ? 'validation.ts' : 'index.ts';
    const text = content.replace('runtime/index.ts', `runtime/${runtime}`);
    await write(`generated/${name}/${file}`, text);
  }
}

function write(file: string, content: unknown): Promise<void> {
  const path = join(import.meta.dirname, '../src', file);
  return writeGenerated(path, content, 'packages/server-stubs/scripts/generate.ts');
}

/** So that the routers load no JSON at run time. */
function toContractModule(): string {
  const { documents, sha256 } = contract;
  return [
    constant('CONTRACT', 'The contract that the routers were generated from.', {
      documents,
      sha256,
    }),
    constant('CORS', 'Cross-origin rules (D11).', defaults.cors),
    constant(
      'LIMITS',
      'Limits that the routers and the engine enforce. Each name includes the unit.',
      Object.fromEntries(LIMITS.map((name) => [name, defaults.limits[name].value])),
    ),
    constant(
      'COPY_PATH_PATTERN',
      'Pattern that copy paths must match (D24).',
      storage.components.schemas.FilePath['x-berth-item-pattern'],
    ),
    constant('ITEM_SUCCESS', 'Code of a successful item.', defaults.itemCodes.success),
    constant('SIGNATURE', 'Constants for signatures (D16, D17).', defaults.signature),
  ].join('\n\n');
}

function toErrorsModule(): string {
  const table = (name: string, text: string, rows: readonly ErrorRow[]) =>
    constant(name, text, toErrorTable(rows));
  const ofLevel = (wanted: string) =>
    defaults.storageErrors.filter(({ level }) => level === wanted);
  return [
    table('GATEWAY_ERRORS', 'Gateway errors (D6).', defaults.gatewayErrors),
    table('STORAGE_ERRORS', 'Errors for an entire storage call (D26).', ofLevel('call')),
    table('STORAGE_ITEM_ERRORS', 'Errors for one entry in a result list (D26).', ofLevel('item')),
    table('UPLOAD_ERRORS', 'Upload target errors (D27).', defaults.uploadErrors),
  ].join('\n\n');
}
