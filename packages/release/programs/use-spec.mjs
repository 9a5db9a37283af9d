// What the contract's README shows.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import defaults from '@berth/spec/defaults.json' with { type: 'json' };
import rules from '@berth/spec/rules.json' with { type: 'json' };
import storage from '@berth/spec/storage.v2.json' with { type: 'json' };

assert.ok(storage.info.version);
assert.ok(JSON.stringify(rules).length > 1000);
assert.ok(Object.keys(defaults).length > 3);
const workflow = fileURLToPath(import.meta.resolve('@berth/spec/workflows/files.arazzo.yaml'));
assert.match(await readFile(workflow, 'utf8'), /^arazzo: /m);
process.stdout.write(`storage ${storage.info.version}\n`);
