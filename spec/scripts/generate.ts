import { writeGenerated } from '@berth/codegen';
import { bundle, DOCUMENTS } from './generate/bundle.ts';
import { toContract } from './generate/contract.ts';
import { readDefaults } from './generate/defaults.ts';
import { toOverlay } from './generate/overlay.ts';
import { readRules } from './generate/rules.ts';
import { readProfile, toNames } from './generate/wire-profile.ts';

/** Writes all that `@berth/spec` exports and nobody writes by hand. */
const documents = await bundle();
const rules = await readRules(documents);
const acme = toNames(await readProfile('default'), await readProfile('acme'));

await Promise.all([
  ...DOCUMENTS.flatMap((name) => [
    write(`${name}.gen.json`, documents[name]),
    write(`${name}.gen.yaml`, documents[name]),
    write(
      `overlays/acme.${name}.gen.yaml`,
      toOverlay(`Wire profile acme of ${name}`, documents[name], acme),
    ),
  ]),
  write('defaults.gen.json', await readDefaults()),
  write('rules.gen.json', rules),
  write('contract.gen.json', toContract(documents, rules)),
]);

function write(name: string, content: unknown): Promise<void> {
  return writeGenerated(`generated/${name}`, content, 'spec/scripts/generate.ts');
}
