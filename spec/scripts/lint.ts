// Lints the documents and the workflows. Warnings fail too.
import { redocly } from './redocly.ts';

const run = await redocly('lint', '--max-problems=200');
process.stdout.write(run.stderr);
process.stdout.write(run.stdout);
const warned = /\b[1-9]\d* warnings?\b/.test(run.stderr);
if (warned) process.stdout.write('Warnings count as errors here.\n');
process.exitCode = run.exitCode || Number(warned);
