// `node clean.mjs dist`: removes a folder of the calling package, so that no stale file ships.
import { rmSync } from 'node:fs';

for (const folder of process.argv.slice(2)) rmSync(folder, { recursive: true, force: true });
