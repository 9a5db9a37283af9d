// `npm start [-- --port N]`: the mock of the whole API, from whatever state the checkout is in.
import { install } from './install.mjs';
import { runSource, turbo } from './process.mjs';

await install();
const generated = await turbo('generate', '--output-logs=errors-only', '--log-order=grouped');
process.exit(generated || (await runSource('packages/mock/src/cli.ts', process.argv.slice(2))));
