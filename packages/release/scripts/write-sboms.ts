// `node scripts/write-sboms.ts FOLDER`: writes one CycloneDX document per published package.
import { writeSboms } from '../src/write-sboms.ts';

const [, , folder = 'sboms'] = process.argv;
for (const file of writeSboms(folder)) process.stdout.write(`${file}\n`);
